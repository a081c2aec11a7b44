-- Web sessions that outlive the process, one for each web user. Of the token there is only its SHA-256; the mark of
-- the stored password was made with a key that follows from the token alone.
CREATE TABLE web_session (
    web_user      TEXT NOT NULL PRIMARY KEY,
    token_digest  BLOB NOT NULL UNIQUE,
    employee_id   INTEGER NOT NULL,
    first_name    TEXT NOT NULL,
    last_name     TEXT NOT NULL,
    email         TEXT NOT NULL,
    password_mark BLOB NOT NULL,
    signed_in_at  TEXT NOT NULL,
    used_at       TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- When the process that serves wrote last; one row. A clock that shows less at a start was set back.
CREATE TABLE web_session_clock (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    written_at TEXT NOT NULL
) STRICT;

-- Failed logins that still count; `failed_at` is a JSON array of times, the latest last.
CREATE TABLE login_failure (
    scope     TEXT NOT NULL CHECK (scope IN ('user', 'address')),
    counted   TEXT NOT NULL, -- the user's name or the address, in the form that is counted
    failed_at TEXT NOT NULL CHECK (json_valid(failed_at)),
    last_at   TEXT NOT NULL,
    PRIMARY KEY (scope, counted)
) STRICT, WITHOUT ROWID;
