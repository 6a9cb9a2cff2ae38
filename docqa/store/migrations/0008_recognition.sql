-- Large pictures beside the text of a page wait for text recognition; and whether what stands on a page was recognised.
ALTER TABLE page ADD COLUMN pictures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE page ADD COLUMN recognised INTEGER NOT NULL DEFAULT 0;
CREATE INDEX page_pictures ON page (document) WHERE pictures > 0;
