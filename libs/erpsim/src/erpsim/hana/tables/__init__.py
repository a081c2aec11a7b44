"""In: translated statements and bound values.
Out: rows and counts of the company's and the sample tables; DuckDB runs them.
"""
