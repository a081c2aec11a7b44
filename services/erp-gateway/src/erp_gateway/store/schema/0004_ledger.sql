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
    ended_by       TEXT, -- who found out what became of an unknown one
    traced         INTEGER NOT NULL CHECK (traced IN (0, 1)), -- whether its record carries the number
    found_in       TEXT, -- the entity set in which a look-up found it, where that is another
    looks          INTEGER NOT NULL DEFAULT 0,
    next_look_at   TEXT
) STRICT, WITHOUT ROWID;

-- Identifiers sort as the times do: with these, "newest first" needs no sorting.
CREATE INDEX ledger_write_web_user ON ledger_write (web_user, id);
CREATE INDEX ledger_write_state ON ledger_write (state, id);

CREATE INDEX ledger_write_next_look_at ON ledger_write (next_look_at) WHERE next_look_at IS NOT NULL;

-- What the HMACs are made with; one row, made at the first start.
CREATE TABLE ledger_secret (
    id     INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    secret BLOB NOT NULL
) STRICT;

-- The write that was made last of a request with an idempotency key. Key and request are known again by HMACs.
CREATE TABLE ledger_key (
    key_mac     BLOB NOT NULL PRIMARY KEY,
    request_mac BLOB NOT NULL,
    write_id    TEXT NOT NULL,
    expires_at  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX ledger_key_expires_at ON ledger_key (expires_at);

-- What such a request was answered, for the next one with its key. It holds values of the ERP: it is no part of
-- the audit or its export, and is deleted when the key's time is over.
CREATE TABLE ledger_answer (
    write_id   TEXT NOT NULL PRIMARY KEY,
    status     INTEGER NOT NULL,
    media_type TEXT NOT NULL,
    headers    TEXT NOT NULL CHECK (json_valid(headers)),
    body       BLOB, -- NULL where it was too large
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX ledger_answer_expires_at ON ledger_answer (expires_at);
