-- A document's row id is never given again: what was begun for one that is deleted meanwhile would be written into the
-- next, a page that was read, say, or its summary.
CREATE TABLE last_document (id INTEGER NOT NULL) STRICT;
INSERT INTO last_document SELECT coalesce(max(id), 0) FROM any_document;
CREATE TRIGGER document_inserted AFTER INSERT ON any_document BEGIN
    UPDATE last_document SET id = max(id, new.id);
END;
