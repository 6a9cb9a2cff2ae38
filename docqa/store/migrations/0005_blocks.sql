-- What the parts of the page are, as docqa/text/blocks.py packs them; NULL for pages that were stored before.
ALTER TABLE page ADD COLUMN blocks TEXT;
