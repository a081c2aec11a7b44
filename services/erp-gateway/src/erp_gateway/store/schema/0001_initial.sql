-- Menu permissions, one row per web user; `paths` is a JSON array of route patterns in the order given.
CREATE TABLE menu_permission (
    web_user   TEXT NOT NULL PRIMARY KEY,
    paths      TEXT NOT NULL CHECK (json_valid(paths)),
    updated_at TEXT NOT NULL,
    updated_by TEXT NOT NULL
) STRICT;

-- Who did what. `fields` holds names, `detail` counts and fixed words: never a value.
-- AUTOINCREMENT: a number is never used twice, also after old records have been deleted.
CREATE TABLE audit_log (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    at         TEXT NOT NULL,
    web_user   TEXT,
    ip         TEXT,
    action     TEXT NOT NULL,
    resource   TEXT,
    key        TEXT,
    result     TEXT NOT NULL CHECK (result IN ('ok', 'error', 'denied', 'unknown')),
    fields     TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(fields)),
    detail     TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(detail)),
    reason     TEXT,
    request_id TEXT
) STRICT;

-- One index per filter of GET /api/audit. Each goes on with the time, and by itself ends with the row number,
-- so that "newest first" within any span of time needs no sorting.
CREATE INDEX audit_log_at ON audit_log (at);
CREATE INDEX audit_log_web_user ON audit_log (web_user, at);
CREATE INDEX audit_log_action ON audit_log (action, at);
CREATE INDEX audit_log_resource ON audit_log (resource, at);
CREATE INDEX audit_log_result ON audit_log (result, at);
