-- The vectors of a passage's units are stored with its own, in four bits a number; those stored before are made anew, with
-- the passage's own. What is left to do is seen from the rows that lack.
DELETE FROM sentence_embedding_0;
DELETE FROM sentence_embedding_1;
DROP INDEX document_without_sentences;
ALTER TABLE any_document DROP COLUMN sentences_embedded;
