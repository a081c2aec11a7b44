"""In: the lock of the process that serves, in the store's database, and time.
Out: leave to serve, leave to send each single call to the ERP, and word when both are over.
"""
