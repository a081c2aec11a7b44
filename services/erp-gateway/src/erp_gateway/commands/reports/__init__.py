"""In: a registered report, with values and rows to try it on, from its fixture or from the database.
Out: its document; or what is wrong with it, with file and line.
"""
