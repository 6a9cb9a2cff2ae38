-- A file is kept in pieces: SQLite has a whole value in memory, and several times while it is written.
ALTER TABLE original RENAME TO whole_original;
CREATE TABLE original (
    document   INTEGER PRIMARY KEY REFERENCES any_document (id) ON DELETE CASCADE,
    media_type TEXT NOT NULL,
    url        TEXT,
    size       INTEGER NOT NULL -- of the file, in bytes
) STRICT;
CREATE TABLE original_piece (
    document INTEGER NOT NULL REFERENCES original (document) ON DELETE CASCADE,
    start    INTEGER NOT NULL, -- in the file, in bytes
    bytes    BLOB NOT NULL,
    UNIQUE (document, start)
) STRICT;
INSERT INTO original (document, media_type, url, size)
SELECT document, media_type, url, length(bytes) FROM whole_original;
-- `substr` loads the whole value for every part of it, so large parts are cut first, and the pieces from these.
CREATE TABLE large_part (document INTEGER NOT NULL, start INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
WITH RECURSIVE part (start) AS (
    SELECT 0 UNION ALL SELECT start + 4194304 FROM part WHERE start + 4194304 < (SELECT max(size) FROM original)
)
INSERT INTO large_part (document, start, bytes)
SELECT w.document, p.start, substr(w.bytes, p.start + 1, 4194304)
FROM original o CROSS JOIN whole_original w ON w.document = o.document CROSS JOIN part p WHERE p.start < o.size;
DROP TABLE whole_original;
WITH RECURSIVE piece (start) AS (SELECT 0 UNION ALL SELECT start + 262144 FROM piece WHERE start + 262144 < 4194304)
INSERT INTO original_piece (document, start, bytes)
SELECT l.document, l.start + p.start, substr(l.bytes, p.start + 1, 262144)
FROM large_part l CROSS JOIN piece p WHERE p.start < length(l.bytes);
DROP TABLE large_part;
