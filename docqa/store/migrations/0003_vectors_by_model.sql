-- Vectors in two slots, one model each. One serves; the other holds the model that is to take over, or what is left of
-- the former one until it has been deleted in batches. Taking over changes the states of two rows and moves no vector.
CREATE TABLE embedding_model_by_slot (
    slot      INTEGER PRIMARY KEY CHECK (slot IN (0, 1)),
    state     TEXT NOT NULL UNIQUE CHECK (state IN ('serving', 'pending', 'retired')),
    name      TEXT NOT NULL,
    sha256    TEXT NOT NULL,
    dimension INTEGER NOT NULL
) STRICT;
INSERT INTO embedding_model_by_slot (slot, state, name, sha256, dimension)
    SELECT 0, state, name, sha256, dimension FROM embedding_model WHERE state = 'serving';
DROP TABLE embedding_model;
ALTER TABLE embedding_model_by_slot RENAME TO embedding_model;

-- A chunk's vector: float32, normalised. chunk_vec and chunk_vec1 hold its signs, by which candidates are found among
-- very many; they are made anew for a model of another dimension.
CREATE TABLE embedding_0 (
    chunk  INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE,
    vector BLOB NOT NULL
) STRICT;
CREATE TABLE embedding_1 (
    chunk  INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE,
    vector BLOB NOT NULL
) STRICT;
CREATE VIRTUAL TABLE chunk_vec1 USING vec0 (embedding bit[384], document integer);
INSERT INTO embedding_0 (chunk, vector) SELECT id, embedding FROM chunk WHERE embedding IS NOT NULL;
DROP TABLE coming_embedding;
DROP INDEX chunk_unembedded;
ALTER TABLE chunk DROP COLUMN embedding;

-- The vectors of a chunk's sentences (docqa/text/words.py: sentences), packed by docqa/models/embedder.py. Made after
-- everything else, and only so that questions need not wait for them. A CSV has none: its rows are asked by SQL.
ALTER TABLE chunk_sentences RENAME TO sentence_embedding_0;
CREATE TABLE sentence_embedding_1 (
    chunk   INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE,
    vectors BLOB NOT NULL
) STRICT;
DROP INDEX document_unexamined;
ALTER TABLE document RENAME COLUMN examined TO sentences_embedded;
CREATE INDEX document_without_sentences ON document (id) WHERE NOT sentences_embedded;

DROP TRIGGER chunk_deleted;
CREATE TRIGGER chunk_deleted AFTER DELETE ON chunk BEGIN
    INSERT INTO chunk_fts (chunk_fts, rowid, terms) VALUES ('delete', old.id, old.terms);
    DELETE FROM chunk_vec WHERE rowid = old.id;
    DELETE FROM chunk_vec1 WHERE rowid = old.id;
END;
