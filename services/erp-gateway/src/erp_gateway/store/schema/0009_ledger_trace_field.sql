-- The field in which a record carries the number of its write, as it was named when that was sent; NULL where there is
-- none, and in rows older than this column.
ALTER TABLE ledger_write ADD COLUMN trace_field TEXT;

-- What each start asks for before it serves: writes that nobody knew about lately. Hardly any row is in it.
CREATE INDEX ledger_write_ended_at ON ledger_write (ended_at) WHERE state = 'unknown' OR ended_by IS NOT NULL;
