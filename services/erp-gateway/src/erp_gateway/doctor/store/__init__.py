"""In: where the store is: a file, or a database of PostgreSQL.
Out: what a doctor says of it; nothing is changed, and the lock of the process that serves is left alone.
"""
