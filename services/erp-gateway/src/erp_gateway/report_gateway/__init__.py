"""PDF reports of the ERP's report gateway."""
