"""In: one reading statement with the values to bind, and how long and how large its answer may get.
Out: its rows, from SAP HANA or from a SQLite file, read in threads that end; or a typed refusal.
"""
