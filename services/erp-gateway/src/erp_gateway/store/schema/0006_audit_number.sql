-- The highest number that an audit record ever had, as far as the engine itself knows it.
-- only sqlite
CREATE VIEW audit_number (used) AS SELECT seq FROM sqlite_sequence WHERE name = 'audit_log';
-- end of only sqlite
--postgresql CREATE VIEW audit_number (used) AS
--postgresql SELECT GREATEST((SELECT MAX(id) FROM audit_log), (SELECT MAX(id) FROM audit_chain));
