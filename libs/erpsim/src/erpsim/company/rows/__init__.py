"""In: one row as it is kept, and what a request says of it.
Out: the same row typed, completed, keyed, tagged or changed.
"""
