-- Units (docqa/text/units.py) have vectors where sentences had them: they are made anew in the background, and for a
-- question that comes before.
DELETE FROM sentence_embedding_0;
DELETE FROM sentence_embedding_1;
UPDATE document SET sentences_embedded = 0;
