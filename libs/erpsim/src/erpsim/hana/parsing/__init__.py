"""Parse HANA's SQL into a tree, or report its syntax error with the position.

Only HANA's own grammar is read, and of it what the simulator answers: a construct of another database is a
syntax error, one of HANA's that is not simulated says so.
"""
