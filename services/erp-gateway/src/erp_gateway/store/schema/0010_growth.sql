-- A record's history is asked for in any letter case of its key.
DROP INDEX audit_log_document;
CREATE INDEX audit_log_record ON audit_log (resource, lower(key), at);

-- Old writes go, but for those that a key stands for: each is asked for its key.
CREATE INDEX ledger_key_write_id ON ledger_key (write_id);
