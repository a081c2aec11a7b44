"""In: SQL as a client of HANA writes it.
Out: a tree of what it says, or HANA's syntax error with the place.

Only HANA's own grammar is read, and of it what the simulator answers: a construct of another database is a
syntax error, one of HANA's that is not simulated says so.
"""
