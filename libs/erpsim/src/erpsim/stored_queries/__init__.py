"""Store queries (`SQLQueries`), list their parameters and run them page by page.

Source unless stated otherwise: SAP manual 1.29, chapter 4 on SQL queries.
"""
