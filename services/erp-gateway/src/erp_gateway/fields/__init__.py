"""In: the declared titles, what the ERP's `$metadata` says, definitions of user fields.
Out: what the fields of a resource are called in Spanish, their kinds, and which values they may have.
"""
