-- What was last seen of each web user: an administrator counts as one only if they can sign in.
CREATE TABLE web_user_seen (
    web_user     TEXT NOT NULL PRIMARY KEY,
    signed_in_at TEXT,                                      -- the last sign-in; NULL: none is known
    seen_active  INTEGER CHECK (seen_active IN (0, 1))      -- what the ERP answered last; NULL: nothing yet
) STRICT, WITHOUT ROWID;

INSERT INTO web_user_seen (web_user, signed_in_at)
SELECT web_user, max(at) FROM audit_log
WHERE action = 'login' AND result = 'ok' AND web_user IS NOT NULL
GROUP BY web_user;

INSERT INTO web_user_seen (web_user, signed_in_at)
SELECT web_user, signed_in_at FROM web_session
WHERE true
ON CONFLICT (web_user) DO NOTHING;
