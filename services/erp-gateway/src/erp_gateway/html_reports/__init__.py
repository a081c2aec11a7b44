"""In: a report registered in code, and the values that a person gave it.
Out: its template filled with what its queries read, as HTML or as a PDF.
"""
