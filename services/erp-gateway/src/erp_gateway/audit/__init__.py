"""In: events: who did what, with which result; names only, never values.
Out: rows of the store, committed before the answer or written later; pages of them for administrators.
"""
