"""The tables, fields and the object that the service needs in the ERP."""
