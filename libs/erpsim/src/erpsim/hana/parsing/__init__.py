"""Parse HANA's SQL into a tree, or report its syntax error with the position.

Only the simulated part of HANA's own grammar is parsed. A construct of another database is a syntax error;
one of HANA's that is not simulated is reported as such.
"""
