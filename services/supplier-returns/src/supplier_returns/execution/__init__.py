"""Create the return documents of a planning in the ERP, each exactly once."""
