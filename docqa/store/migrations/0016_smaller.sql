-- A passage is kept once: its text where its page has it, its terms packed. Rows of before are made so in the
-- background (docqa/store/compaction.py), and read as they are until then. `chunk` shows both in one form.
DROP TRIGGER chunk_inserted;
DROP TRIGGER chunk_terms_changed;
DROP TRIGGER chunk_deleted;
ALTER TABLE chunk RENAME TO stored_chunk;
-- of the text, in characters, where it is that of the page: then `text` is empty
ALTER TABLE stored_chunk ADD COLUMN length INTEGER NOT NULL DEFAULT 0;
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
CREATE TRIGGER chunk_deleted AFTER DELETE ON stored_chunk BEGIN
    INSERT INTO chunk_fts (chunk_fts, rowid, terms) VALUES ('delete', old.id, unpacked(old.terms));
    DELETE FROM chunk_vec WHERE rowid = old.id;
    DELETE FROM chunk_vec1 WHERE rowid = old.id;
END;
-- how many there are of each document: counting them again for every question would cost as much as the rest of it
ALTER TABLE any_document ADD COLUMN chunks INTEGER NOT NULL DEFAULT 0;
UPDATE any_document SET chunks = (SELECT count(*) FROM stored_chunk WHERE document = any_document.id);
-- the rows of before, up to `last`; those up to `reached` are compact
CREATE TABLE compaction (reached INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;
INSERT INTO compaction (reached, last) SELECT 0, max(id) FROM stored_chunk WHERE true HAVING max(id) > 0;
