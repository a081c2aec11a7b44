"""In: statements of the features' stores, and the migrations of the schema.
Out: rows of a SQLite file or a PostgreSQL database, written by one writer; a backup, or a typed refusal.
"""
