-- What the file says of itself, as far as it is sensible: "" where it says nothing. `dated` is an ISO 8601 day, month or year.
ALTER TABLE document ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE document ADD COLUMN author TEXT NOT NULL DEFAULT '';
ALTER TABLE document ADD COLUMN dated TEXT NOT NULL DEFAULT '';
