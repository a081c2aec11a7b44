-- Login blocks that a command wants lifted; the process that counts failed logins does so, and removes the row.
CREATE TABLE login_block_lift (
    scope   TEXT NOT NULL CHECK (scope IN ('user', 'address')),
    counted TEXT NOT NULL, -- as in login_failure
    PRIMARY KEY (scope, counted)
) STRICT, WITHOUT ROWID;
