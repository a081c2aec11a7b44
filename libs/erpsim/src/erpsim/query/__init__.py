"""Evaluate `$filter`, `$orderby`, `$select` and `$expand` over the company's rows, page by page."""
