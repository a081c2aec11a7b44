"""In: sessions that begin and end, their last uses, failed logins; at a start the store's rows.
Out: rows from which the next process goes on, or what such a process may still believe.
"""
