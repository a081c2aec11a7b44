"""In: SQL as a client sends it.
Out: rows and typed columns of the company's and the sample tables; SQLite runs it.
"""
