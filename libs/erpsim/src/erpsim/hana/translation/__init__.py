"""Translate a statement's tree to DuckDB with HANA's types, or reject it as HANA does.

Every construct is written out by a rule of its own. What has none is refused, so nothing reaches the engine
that it might understand in another way than HANA does.
"""
