-- The writes of a change set are done all or not at all. They carry the number of the first one, and their place
-- in the request from 0; a write alone has neither.
ALTER TABLE ledger_write ADD COLUMN set_id TEXT;
ALTER TABLE ledger_write ADD COLUMN position INTEGER;

CREATE INDEX ledger_write_set_id ON ledger_write (set_id, position) WHERE set_id IS NOT NULL;
