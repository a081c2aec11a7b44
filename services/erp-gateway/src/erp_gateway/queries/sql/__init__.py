"""Parse the SQL text of a declared query and reject unsafe text, without I/O."""
