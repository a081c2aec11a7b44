"""In: a registered query's name, or a user-defined field's, and the values of its parameters.
Out: rows read from the ERP's database, or a typed refusal; nothing is ever written there.
"""
