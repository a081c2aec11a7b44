"""Translate a statement's tree to DuckDB with HANA's types, or reject it as HANA does.

Each construct has an explicit rule. A construct without one is refused, so that the engine never interprets
it differently from HANA.
"""
