-- Every create, change and action that was asked for: a row before its first byte goes to the ERP, its outcome
-- after. `fields` holds names and `body_mac` an HMAC: never a value.
CREATE TABLE ledger_write (
    id             TEXT NOT NULL PRIMARY KEY,
    at             TEXT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('create', 'update', 'action')),
    web_user       TEXT NOT NULL,
    ip             TEXT,
    request_id     TEXT,
    resource       TEXT NOT NULL,
    key            TEXT,
    fields         TEXT NOT NULL CHECK (json_valid(fields)),
    fields_omitted INTEGER NOT NULL,
    body_mac       BLOB NOT NULL,
    state          TEXT NOT NULL CHECK (state IN ('open', 'done', 'refused', 'not_sent', 'unknown', 'not_done')),
    reason         TEXT,
    ended_at       TEXT,
    ended_by       TEXT -- who found out what became of an unknown one
) STRICT, WITHOUT ROWID;

-- Identifiers sort as the times do: with these, "newest first" needs no sorting.
CREATE INDEX ledger_write_web_user ON ledger_write (web_user, id);
CREATE INDEX ledger_write_state ON ledger_write (state, id);

-- What the HMACs are made with; one row, made at the first start.
CREATE TABLE ledger_secret (
    id     INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    secret BLOB NOT NULL
) STRICT;
