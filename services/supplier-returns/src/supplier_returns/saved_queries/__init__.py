"""The queries that are stored in the ERP under our names."""
