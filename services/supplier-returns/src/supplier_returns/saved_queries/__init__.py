"""Store our queries in the ERP, and read their rows with proof that none is missing."""
