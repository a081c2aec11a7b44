"""In: a call in the Service Layer's terms, with its session and for whom it is made.
Out: its answer, read and bounded; or a typed error that says whether anything was done.
"""
