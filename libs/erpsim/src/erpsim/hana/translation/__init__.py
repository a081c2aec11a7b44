"""In: the tree of a statement, and which tables there are.
Out: the same for DuckDB, with HANA's types for every column and parameter; or HANA's refusal.

Every construct is written out by a rule of its own. What has none is refused, so nothing reaches the engine
that it might understand in another way than HANA does.
"""
