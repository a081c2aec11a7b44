"""In: requests for the ERP's entity sets, and the declarations of what may be touched.
Out: a plan made of our own words, its answer with the bytes of the ERP; or a refusal.
"""
