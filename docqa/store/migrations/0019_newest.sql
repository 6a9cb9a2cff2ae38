-- What is deleted stands in no list: lists are counted, and their pages begun, in the index alone.
DROP INDEX document_newest;
CREATE INDEX document_newest ON any_document (account, created DESC, id DESC) WHERE NOT deleted;
