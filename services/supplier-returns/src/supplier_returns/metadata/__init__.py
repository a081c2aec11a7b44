"""Compare the ERP's tables, fields and object with the required ones, and create missing ones."""
