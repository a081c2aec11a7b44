"""In: reads of reference data, and what becomes of writes to it.
Out: answers from memory while they are fresh, or old ones while the ERP gives none.
"""
