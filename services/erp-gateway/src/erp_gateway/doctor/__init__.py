"""In: the settings of an installation, and what they name.
Out: checks that only look at it, for `erp-gateway doctor`.
"""
