-- Which version of the tokeniser made chunk.terms (docqa/text/words.py: TERMS_VERSION). While chunk.terms are rebuilt for
-- another one, that is pending_version, and of the chunks up to last_chunk those up to rebuilt_chunk are done; later
-- chunks have been made by it from the start.
CREATE TABLE full_text (
    id              INTEGER PRIMARY KEY CHECK (id = 1),
    version         INTEGER NOT NULL,
    pending_version INTEGER,
    rebuilt_chunk   INTEGER NOT NULL DEFAULT 0,
    last_chunk      INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO full_text (id, version) VALUES (1, 1);

CREATE TRIGGER chunk_terms_changed AFTER UPDATE OF terms ON chunk BEGIN
    INSERT INTO chunk_fts (chunk_fts, rowid, terms) VALUES ('delete', old.id, old.terms);
    INSERT INTO chunk_fts (rowid, terms) VALUES (new.id, new.terms);
END;
