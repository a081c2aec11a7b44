"""In: a session with the ERP, and questions about what our code assumes of it.
Out: what the ERP answered to each, beside what we count on.
"""
