-- The tables of every document, several of them where it has several: those of sheets, and those on pages. Each row keeps
-- its cells as they stand, which look-ups read, beside its values, which are counted.
CREATE TABLE document_table (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    number   INTEGER NOT NULL,      -- counted from 0 within the document
    name     TEXT NOT NULL,         -- that of its sheet, else ''
    headings TEXT NOT NULL,         -- the full headings of its columns as they stand, as a JSON array
    title    TEXT NOT NULL,         -- the line or paragraph above it
    before   TEXT NOT NULL,         -- the one above that
    scale    TEXT NOT NULL,         -- what its numbers are in
    UNIQUE (document, number)
) STRICT;
INSERT INTO document_table (document, number, name, headings, title, before, scale)
SELECT DISTINCT document, 0, '', '[]', '', '', '' FROM table_column ORDER BY document;

ALTER TABLE table_column RENAME TO old_column;
ALTER TABLE table_row RENAME TO old_row;
ALTER TABLE table_value RENAME TO old_value;

-- The columns by which a table's rows are counted; none where they are not.
CREATE TABLE table_column (
    in_table INTEGER NOT NULL REFERENCES document_table (id) ON DELETE CASCADE,
    place    INTEGER NOT NULL,
    name     TEXT NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('text', 'number', 'date')),
    unit     TEXT NOT NULL,         -- what stands at all its numbers: $, %
    decimals INTEGER NOT NULL,
    is_year  INTEGER NOT NULL,
    PRIMARY KEY (in_table, place)
) STRICT, WITHOUT ROWID;
INSERT INTO table_column SELECT t.id, o.place, o.name, o.kind, o.unit, o.decimals, o.is_year
FROM old_column o JOIN document_table t ON t.document = o.document;

CREATE TABLE table_row (
    in_table    INTEGER NOT NULL REFERENCES document_table (id) ON DELETE CASCADE,
    row         INTEGER NOT NULL,
    page_number INTEGER NOT NULL,
    start       INTEGER NOT NULL,   -- its line in the page's text, in characters
    stop        INTEGER NOT NULL,
    cells       TEXT,               -- its values as a JSON array: numbers, dates in ISO 8601, words, null; NULL: not counted
    written     TEXT,               -- its cells as they stand, as a JSON array; NULL: no look-ups
    above       TEXT NOT NULL,      -- the label of the rows that it stands under
    PRIMARY KEY (in_table, row)
) STRICT, WITHOUT ROWID;
INSERT INTO table_row SELECT t.id, o.row, o.page_number, o.start, o.start, o.cells, NULL, ''
FROM old_row o JOIN document_table t ON t.document = o.document;

-- The values that a question may name, by their key: docqa/formats/columns.py.
CREATE TABLE table_value (
    in_table INTEGER NOT NULL REFERENCES document_table (id) ON DELETE CASCADE,
    key      TEXT NOT NULL,
    place    INTEGER NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (in_table, key, place, value)
) STRICT, WITHOUT ROWID;
INSERT INTO table_value SELECT t.id, o.key, o.place, o.value
FROM old_value o JOIN document_table t ON t.document = o.document;

DROP TABLE old_column;
DROP TABLE old_row;
DROP TABLE old_value;

-- Whether the tables on its pages are stored: until then look-ups read them from the text, and the background stores them.
ALTER TABLE document ADD COLUMN tables_stored INTEGER NOT NULL DEFAULT 0;
-- The names on many of its pages, as a JSON array: docqa/text/recurring_names.py.
ALTER TABLE document ADD COLUMN recurring_names TEXT NOT NULL DEFAULT '[]';
UPDATE document SET tables_stored = 1 WHERE kind = 'csv';
CREATE INDEX document_tables_missing ON document (id) WHERE NOT tables_stored;
