"""In: HTTP requests for the PDF of a planning.
Out: the PDF, or why there is none.
"""
