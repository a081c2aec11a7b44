"""In: pieces of work and reads for a store that is a database of PostgreSQL.
Out: their outcomes; the database checked, brought up to date, locked; connections made anew that were lost.
"""
