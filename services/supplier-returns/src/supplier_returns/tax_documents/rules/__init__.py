"""In: a planning, the documents that are asked for, the folios that the ERP has.
Out: which documents are fetched, in which order, and which can't be; pure.
"""
