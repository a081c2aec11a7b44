"""In: the SQL text of a declared query.
Out: its statement with places for values, or what is wrong with it, as far as the text alone tells. No I/O.
"""
