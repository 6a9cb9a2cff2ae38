CREATE TABLE account (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    created TEXT NOT NULL
) STRICT;

CREATE TABLE api_key (
    id      INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name    TEXT NOT NULL,
    hash    BLOB NOT NULL UNIQUE,   -- SHA-256 of the key; the key itself is kept nowhere
    created TEXT NOT NULL,
    revoked TEXT
, last_used TEXT) STRICT;

CREATE TABLE "any_document" (
    id        INTEGER PRIMARY KEY,
    doc_id    TEXT NOT NULL UNIQUE,
    account   INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name      TEXT NOT NULL,
    kind      TEXT NOT NULL,
    sha256    BLOB NOT NULL,
    language  TEXT NOT NULL,
    pages     INTEGER NOT NULL,
    summary   TEXT NOT NULL DEFAULT '',
    shareable INTEGER NOT NULL DEFAULT 0,
    created   TEXT NOT NULL,
    state     TEXT NOT NULL CHECK (state IN ('indexing', 'ready', 'failed')),
    notes     TEXT NOT NULL DEFAULT '', -- what its reader had to leave out
    message   TEXT NOT NULL DEFAULT '', title TEXT NOT NULL DEFAULT '', author TEXT NOT NULL DEFAULT '', dated TEXT NOT NULL DEFAULT '', tables_stored INTEGER NOT NULL DEFAULT 0, recurring_names TEXT NOT NULL DEFAULT '[]', deleted INTEGER NOT NULL DEFAULT 0, tags TEXT NOT NULL DEFAULT '{}', questions TEXT, chunks INTEGER NOT NULL DEFAULT 0, -- what the background work could not do
    UNIQUE (account, sha256)        -- the same bytes again are the same document
) STRICT;

CREATE INDEX document_indexing ON "any_document" (id) WHERE state = 'indexing';

CREATE TABLE page (
    document    INTEGER NOT NULL REFERENCES "any_document" (id) ON DELETE CASCADE,
    page_number INTEGER NOT NULL,
    section     TEXT NOT NULL,
    text        TEXT NOT NULL,
    scan        TEXT NOT NULL CHECK (scan IN ('', 'waiting', 'failed')), blocks TEXT, pictures INTEGER NOT NULL DEFAULT 0, recognised INTEGER NOT NULL DEFAULT 0, -- whether it is a picture that was not read
    UNIQUE (document, page_number)
) STRICT;

CREATE INDEX page_scan ON page (document) WHERE scan != '';

CREATE TABLE "stored_chunk" (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    document    INTEGER NOT NULL REFERENCES "any_document" (id) ON DELETE CASCADE,
    page_number INTEGER NOT NULL,
    start       INTEGER NOT NULL,   -- offset in the page's text, in characters
    section     TEXT NOT NULL,
    columns     TEXT NOT NULL,      -- the column headings of the table that it begins in the middle of
    text        TEXT NOT NULL,      -- verbatim: page.text from start on
    terms       TEXT NOT NULL, length INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX chunk_document ON "stored_chunk" (document);

CREATE TABLE "sentence_embedding_0" (
    chunk   INTEGER PRIMARY KEY REFERENCES "stored_chunk" (id) ON DELETE CASCADE,
    vectors BLOB NOT NULL
) STRICT;

CREATE TABLE note (
    chunk  INTEGER NOT NULL REFERENCES "stored_chunk" (id) ON DELETE CASCADE,
    start  INTEGER NOT NULL,   -- offsets in the chunk's text, in characters
    stop   INTEGER NOT NULL,
    part   INTEGER NOT NULL,   -- counted from 0 within the document
    weight REAL NOT NULL,      -- comparable within the document
    PRIMARY KEY (chunk, start)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE chunk_fts USING fts5 (
    terms, content = 'chunk', content_rowid = 'id', tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cn'"
);

CREATE VIRTUAL TABLE chunk_vocabulary USING fts5vocab (chunk_fts, 'row');

CREATE VIRTUAL TABLE chunk_vec USING vec0 (embedding bit[384], document integer);

CREATE TABLE knowledge_base (
    id                INTEGER PRIMARY KEY,
    knowledge_base_id TEXT NOT NULL UNIQUE,
    account           INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name              TEXT NOT NULL,
    folded_name       TEXT NOT NULL,    -- case-folded, for the search by name
    created           TEXT NOT NULL
) STRICT;

CREATE INDEX knowledge_base_newest ON knowledge_base (account, created DESC, id DESC);

CREATE TABLE member (
    knowledge_base INTEGER NOT NULL REFERENCES knowledge_base (id) ON DELETE CASCADE,
    document       INTEGER NOT NULL REFERENCES "any_document" (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    PRIMARY KEY (knowledge_base, document)
) STRICT, WITHOUT ROWID;

CREATE INDEX member_document ON member (document);

CREATE TABLE full_text (
    id              INTEGER PRIMARY KEY CHECK (id = 1),
    version         INTEGER NOT NULL,
    pending_version INTEGER,
    rebuilt_chunk   INTEGER NOT NULL DEFAULT 0,
    last_chunk      INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE embedding_0 (
    chunk  INTEGER PRIMARY KEY REFERENCES "stored_chunk" (id) ON DELETE CASCADE,
    vector BLOB NOT NULL
) STRICT;

CREATE TABLE embedding_1 (
    chunk  INTEGER PRIMARY KEY REFERENCES "stored_chunk" (id) ON DELETE CASCADE,
    vector BLOB NOT NULL
) STRICT;

CREATE VIRTUAL TABLE chunk_vec1 USING vec0 (embedding bit[384], document integer);

CREATE TABLE sentence_embedding_1 (
    chunk   INTEGER PRIMARY KEY REFERENCES "stored_chunk" (id) ON DELETE CASCADE,
    vectors BLOB NOT NULL
) STRICT;

CREATE TABLE document_table (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL REFERENCES "any_document" (id) ON DELETE CASCADE,
    number   INTEGER NOT NULL,      -- counted from 0 within the document
    name     TEXT NOT NULL,         -- that of its sheet, else ''
    headings TEXT NOT NULL,         -- the full headings of its columns as they stand, as a JSON array
    title    TEXT NOT NULL,         -- the line or paragraph above it
    before   TEXT NOT NULL,         -- the one above that
    scale    TEXT NOT NULL,         -- what its numbers are in
    UNIQUE (document, number)
) STRICT;

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

CREATE TABLE table_value (
    in_table INTEGER NOT NULL REFERENCES document_table (id) ON DELETE CASCADE,
    key      TEXT NOT NULL,
    place    INTEGER NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (in_table, key, place, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX document_tables_missing ON "any_document" (id) WHERE NOT tables_stored;

CREATE INDEX page_pictures ON page (document) WHERE pictures > 0;

CREATE INDEX document_deleted ON any_document (id) WHERE deleted;

CREATE VIEW document AS SELECT * FROM any_document WHERE NOT deleted;

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

CREATE TABLE chat (
    id             INTEGER PRIMARY KEY,
    chat_id        TEXT NOT NULL UNIQUE,
    account        INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    title          TEXT NOT NULL,
    folded_title   TEXT NOT NULL,
    created        TEXT NOT NULL,
    changed        TEXT NOT NULL,
    knowledge_base INTEGER REFERENCES knowledge_base (id) ON DELETE SET NULL -- that is asked, NULL for single documents
) STRICT;

CREATE INDEX chat_newest ON chat (account, changed DESC, id DESC);

CREATE INDEX chat_knowledge_base ON chat (knowledge_base);

CREATE TABLE turn (
    id         INTEGER PRIMARY KEY,
    chat       INTEGER NOT NULL REFERENCES chat (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    question   TEXT NOT NULL,
    answer     TEXT NOT NULL, -- empty where a document that it rests on was deleted
    folded     TEXT NOT NULL, -- question and answer case-folded, for the search
    written_by TEXT NOT NULL, -- the target that answered, as X-DocQA-Target names it
    UNIQUE (chat, position)
) STRICT;

CREATE TABLE turn_source (
    turn        INTEGER NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL, -- n of [n] in the answer
    document    INTEGER NOT NULL REFERENCES any_document (id) ON DELETE CASCADE,
    page_number INTEGER NOT NULL,
    quote       TEXT NOT NULL,
    PRIMARY KEY (turn, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX turn_source_document ON turn_source (document);

CREATE TABLE chat_document (
    chat     INTEGER NOT NULL REFERENCES chat (id) ON DELETE CASCADE,
    document INTEGER NOT NULL REFERENCES any_document (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    PRIMARY KEY (chat, document)
) STRICT, WITHOUT ROWID;

CREATE INDEX chat_document_document ON chat_document (document);

CREATE TABLE share (
    id             INTEGER PRIMARY KEY,
    share_id       TEXT NOT NULL UNIQUE,
    knowledge_base INTEGER NOT NULL REFERENCES knowledge_base (id) ON DELETE CASCADE,
    name           TEXT NOT NULL,        -- whom it is for, in the words of its owner
    originals      INTEGER NOT NULL,     -- whether the files may be downloaded
    code_hash      BLOB NOT NULL UNIQUE, -- SHA-256 of the code; the code itself is kept nowhere
    created        TEXT NOT NULL,
    account        INTEGER REFERENCES account (id) ON DELETE CASCADE, -- that has taken it, NULL until then
    taken          TEXT,
    UNIQUE (knowledge_base, account)
) STRICT;

CREATE INDEX share_account ON share (account);

CREATE VIEW readable_base (reader, knowledge_base, access) AS
SELECT account, id, 'own' FROM knowledge_base
UNION ALL SELECT account, knowledge_base, iif(originals, 'originals', 'read') FROM share WHERE account IS NOT NULL;

CREATE VIEW shared_document (reader, document, originals) AS
SELECT s.account, m.document, s.originals FROM member m JOIN share s ON s.knowledge_base = m.knowledge_base;

CREATE VIEW chunk AS SELECT
    id, document, page_number, start, section, columns,
    iif(length > 0 AND text = '', coalesce((
        SELECT substr(p.text, start + 1, length) FROM page p
        WHERE p.document = stored_chunk.document AND p.page_number = stored_chunk.page_number), ''), text) AS text,
    unpacked(terms) AS terms
FROM stored_chunk;

CREATE TRIGGER chunk_inserted AFTER INSERT ON stored_chunk BEGIN
    INSERT INTO chunk_fts (rowid, terms) VALUES (new.id, unpacked(new.terms));
END;

CREATE TRIGGER chunk_terms_changed AFTER UPDATE OF terms ON stored_chunk WHEN unpacked(new.terms) != unpacked(old.terms)
BEGIN
    INSERT INTO chunk_fts (chunk_fts, rowid, terms) VALUES ('delete', old.id, unpacked(old.terms));
    INSERT INTO chunk_fts (rowid, terms) VALUES (new.id, unpacked(new.terms));
END;

CREATE TABLE compaction (reached INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;

CREATE TABLE "embedding_model" (
    slot      INTEGER PRIMARY KEY CHECK (slot IN (0, 1, 2)),
    state     TEXT NOT NULL CHECK (state IN ('serving', 'beside', 'pending', 'retired')),
    name      TEXT NOT NULL,
    sha256    TEXT NOT NULL,
    dimension INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX embedding_model_state ON embedding_model (state) WHERE state != 'retired';

CREATE TABLE embedding_2 (
    chunk  INTEGER PRIMARY KEY REFERENCES stored_chunk (id) ON DELETE CASCADE,
    vector BLOB NOT NULL
) STRICT;

CREATE VIRTUAL TABLE chunk_vec2 USING vec0 (embedding bit[384], document integer);

CREATE TABLE sentence_embedding_2 (
    chunk   INTEGER PRIMARY KEY REFERENCES stored_chunk (id) ON DELETE CASCADE,
    vectors BLOB NOT NULL
) STRICT;

CREATE TRIGGER chunk_deleted AFTER DELETE ON stored_chunk BEGIN
    INSERT INTO chunk_fts (chunk_fts, rowid, terms) VALUES ('delete', old.id, unpacked(old.terms));
    DELETE FROM chunk_vec WHERE rowid = old.id;
    DELETE FROM chunk_vec1 WHERE rowid = old.id;
    DELETE FROM chunk_vec2 WHERE rowid = old.id;
END;

CREATE INDEX document_newest ON any_document (account, created DESC, id DESC) WHERE NOT deleted;

CREATE TABLE last_document (id INTEGER NOT NULL) STRICT;

CREATE TRIGGER document_inserted AFTER INSERT ON any_document BEGIN
    UPDATE last_document SET id = max(id, new.id);
END;
