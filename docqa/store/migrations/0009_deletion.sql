-- A deleted document is gone for every reader in one small transaction; what was made from it is erased in many small ones
-- afterwards (docqa/store/deletion.py). So the table holds every document, and the view those that have not been deleted.
ALTER TABLE document RENAME TO any_document;
ALTER TABLE any_document ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX document_deleted ON any_document (id) WHERE deleted;
CREATE VIEW document AS SELECT * FROM any_document WHERE NOT deleted;
-- "DocQ": by it `restore` and `import` know a file of ours.
PRAGMA application_id = 1148146513;
