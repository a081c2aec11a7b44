"""In: files that people add to a record, spooled, and numbers of those that it has.
Out: uploads to the ERP through the ledger; lists, and files as streams.
"""
