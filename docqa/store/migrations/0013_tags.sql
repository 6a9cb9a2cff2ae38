-- What people file a document under: a JSON object, from each tag as it was written to its case-folded form.
ALTER TABLE any_document ADD COLUMN tags TEXT NOT NULL DEFAULT '{}';
