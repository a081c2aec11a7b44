"""The proxy to the ERP's entity sets: declared resources, a pure policy, one shared upstream session."""
