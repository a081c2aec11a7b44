"""Check the bodies of writes, and find the records that they name."""
