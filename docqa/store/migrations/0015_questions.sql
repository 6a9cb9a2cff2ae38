-- JSON: [question, page_number] of each question that is suggested to people; NULL until they were made.
ALTER TABLE any_document ADD COLUMN questions TEXT;
