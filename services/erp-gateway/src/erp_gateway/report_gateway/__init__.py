"""In: a registered print layout of the ERP, and the values that a person gave it.
Out: its PDF from the ERP's report gateway, or a typed refusal where that says 200 to a failure.
"""
