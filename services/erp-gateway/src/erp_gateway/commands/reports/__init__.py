"""Try one registered report from the command line."""
