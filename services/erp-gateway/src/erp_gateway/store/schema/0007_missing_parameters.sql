-- Registered parameters that a report no longer has at its designer, as a JSON array of names.
ALTER TABLE gateway_reports ADD COLUMN missing TEXT NOT NULL DEFAULT '[]';
