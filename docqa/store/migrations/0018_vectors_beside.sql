-- A third slot of vectors: another model may serve beside the chosen one, for languages that this does not know.
CREATE TABLE embedding_model_by_slot (
    slot      INTEGER PRIMARY KEY CHECK (slot IN (0, 1, 2)),
    state     TEXT NOT NULL CHECK (state IN ('serving', 'beside', 'pending', 'retired')),
    name      TEXT NOT NULL,
    sha256    TEXT NOT NULL,
    dimension INTEGER NOT NULL
) STRICT;
INSERT INTO embedding_model_by_slot (slot, state, name, sha256, dimension)
    SELECT slot, state, name, sha256, dimension FROM embedding_model;
DROP TABLE embedding_model;
ALTER TABLE embedding_model_by_slot RENAME TO embedding_model;
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
DROP TRIGGER chunk_deleted;
CREATE TRIGGER chunk_deleted AFTER DELETE ON stored_chunk BEGIN
    INSERT INTO chunk_fts (chunk_fts, rowid, terms) VALUES ('delete', old.id, unpacked(old.terms));
    DELETE FROM chunk_vec WHERE rowid = old.id;
    DELETE FROM chunk_vec1 WHERE rowid = old.id;
    DELETE FROM chunk_vec2 WHERE rowid = old.id;
END;
