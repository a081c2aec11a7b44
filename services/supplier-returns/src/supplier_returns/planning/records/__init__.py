"""In: records of `LIB_ODEV` as the Service Layer sends them, and plannings to keep.
Out: plannings as values, and the bodies that keep them.
"""
