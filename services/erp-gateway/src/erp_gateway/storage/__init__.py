"""In: statements of the features' stores, and the migrations of the schema.
Out: rows of one SQLite file, written by one writer; a backup of it, or a typed refusal.
"""
