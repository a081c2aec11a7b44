"""Compare the ERP's tables, fields and object with those that the service needs, and create missing ones."""
