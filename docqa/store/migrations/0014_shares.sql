-- Knowledge bases that other accounts may read. Whoever has the code of a share takes it: it is good for one account.
CREATE TABLE share (
    id             INTEGER PRIMARY KEY,
    share_id       TEXT NOT NULL UNIQUE,
    knowledge_base INTEGER NOT NULL REFERENCES knowledge_base (id) ON DELETE CASCADE,
    name           TEXT NOT NULL,        -- whom it is for, in the words of its owner
    originals      INTEGER NOT NULL,     -- whether the files may be downloaded
    code_hash      BLOB NOT NULL UNIQUE, -- SHA-256 of the code; the code itself is kept nowhere
    created        TEXT NOT NULL,
    account        INTEGER REFERENCES account (id) ON DELETE CASCADE, -- that has taken it, NULL until then
    taken          TEXT,
    UNIQUE (knowledge_base, account)
) STRICT;
CREATE INDEX share_account ON share (account);
-- What each account may read, and whether the files are part of that: knowledge bases, and the documents of shared ones.
CREATE VIEW readable_base (reader, knowledge_base, access) AS
SELECT account, id, 'own' FROM knowledge_base
UNION ALL SELECT account, knowledge_base, iif(originals, 'originals', 'read') FROM share WHERE account IS NOT NULL;
CREATE VIEW shared_document (reader, document, originals) AS
SELECT s.account, m.document, s.originals FROM member m JOIN share s ON s.knowledge_base = m.knowledge_base;
