"""In: the queries' texts for either database, and the values of their parameters.
Out: the queries stored in the ERP under our names; rows of them, with proof that none is missing.
"""
