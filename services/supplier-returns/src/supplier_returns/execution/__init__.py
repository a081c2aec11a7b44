"""In: a planning and a signed-in user.
Out: the ERP's return documents, each made once, and a planning that says what became of each.
"""
