"""In: the tables, fields and the object that the service needs, and what the ERP has of them.
Out: what differs, as a list; and, when asked, the missing ones made.
"""
