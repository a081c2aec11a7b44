"""In: pieces of work and reads for a store that is one file.
Out: their outcomes; the file made, checked, locked and copied.
"""
