-- A file is kept in pieces: SQLite has a whole value in memory, and several times while it is written.
CREATE TABLE original_piece (
    document INTEGER NOT NULL REFERENCES original (document) ON DELETE CASCADE,
    start    INTEGER NOT NULL, -- in the file, in bytes
    bytes    BLOB NOT NULL,
    UNIQUE (document, start)
) STRICT;
ALTER TABLE original ADD COLUMN size INTEGER NOT NULL DEFAULT 0; -- of the file, in bytes
UPDATE original SET size = length(bytes);
-- The file's row stands outside: its value is loaded once, not for every piece.
WITH RECURSIVE piece (start) AS (
    SELECT 0 UNION ALL SELECT start + 262144 FROM piece WHERE start + 262144 < (SELECT max(size) FROM original)
)
INSERT INTO original_piece (document, start, bytes)
SELECT o.document, p.start, substr(o.bytes, p.start + 1, 262144)
FROM original o CROSS JOIN piece p WHERE p.start < o.size;
ALTER TABLE original DROP COLUMN bytes;
