"""In: definitions of user tables, fields, keys and objects, and rows of those.
Out: both checked and stored; `erpsim.company.overlay` says what the metadata looks like with them.
"""
