-- Conversations that people keep. What a turn quotes goes with the document, and so does its answer (docqa/store/chats.py).
CREATE TABLE chat (
    id             INTEGER PRIMARY KEY,
    chat_id        TEXT NOT NULL UNIQUE,
    account        INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    title          TEXT NOT NULL,
    folded_title   TEXT NOT NULL,
    created        TEXT NOT NULL,
    changed        TEXT NOT NULL,
    knowledge_base INTEGER REFERENCES knowledge_base (id) ON DELETE SET NULL -- that is asked, NULL for single documents
) STRICT;
CREATE INDEX chat_newest ON chat (account, changed DESC, id DESC);
CREATE INDEX chat_knowledge_base ON chat (knowledge_base);
CREATE TABLE turn (
    id         INTEGER PRIMARY KEY,
    chat       INTEGER NOT NULL REFERENCES chat (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    question   TEXT NOT NULL,
    answer     TEXT NOT NULL, -- empty where a document that it rests on was deleted
    folded     TEXT NOT NULL, -- question and answer case-folded, for the search
    written_by TEXT NOT NULL, -- the target that answered, as X-DocQA-Target names it
    UNIQUE (chat, position)
) STRICT;
CREATE TABLE turn_source (
    turn        INTEGER NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL, -- n of [n] in the answer
    document    INTEGER NOT NULL REFERENCES any_document (id) ON DELETE CASCADE,
    page_number INTEGER NOT NULL,
    quote       TEXT NOT NULL,
    PRIMARY KEY (turn, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX turn_source_document ON turn_source (document);
CREATE TABLE chat_document (
    chat     INTEGER NOT NULL REFERENCES chat (id) ON DELETE CASCADE,
    document INTEGER NOT NULL REFERENCES any_document (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    PRIMARY KEY (chat, document)
) STRICT, WITHOUT ROWID;
CREATE INDEX chat_document_document ON chat_document (document);
