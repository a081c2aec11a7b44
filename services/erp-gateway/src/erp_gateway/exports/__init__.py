"""In: rows of a list, a query or a report, and the wish for a file.
Out: CSV while the rows come, or a finished XLSX; or a typed refusal. Nothing cut short ever looks whole.
"""
