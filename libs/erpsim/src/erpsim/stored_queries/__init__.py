"""In: the text of a stored query (`SQLQueries`), its parameters, and who asks.
Out: the text as it is kept, its parameters listed, and its rows page by page; or a refusal.

Source unless told otherwise: SAP manual 1.29, chapter 4 on SQL queries.
"""
