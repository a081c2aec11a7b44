"""In: a table's name and the alias of a user-defined field.
Out: the field's definition with its valid values, as the ERP's own tables have it, or as remembered.
"""
