"""In: typed fields of a request, and the company.
Out: the company after SAP's own rules, or a refusal; `rules_by_set` says which set follows which rules.
"""
