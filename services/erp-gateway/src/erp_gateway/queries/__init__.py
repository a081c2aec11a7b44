"""Run registered SQL queries against the ERP's database, read only."""
