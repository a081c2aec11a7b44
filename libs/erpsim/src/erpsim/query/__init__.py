"""In: `$filter`, `$orderby`, `$select`, `$expand` as sent, and the company's rows.
Out: the entities asked for, page by page.
"""
