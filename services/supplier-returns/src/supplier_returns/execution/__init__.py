"""From a planning to the ERP's return documents, exactly once.

In: a planning and a signed-in user. Out: documents in the ERP, and a planning that says what became of each.
"""
