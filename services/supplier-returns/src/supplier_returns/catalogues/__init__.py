"""In: what a form offers to choose from, and a signed-in user.
Out: warehouses, series and valid values, as the ERP has them.
"""
