"""Check and store user tables, fields, keys and objects, and the rows of user tables."""
