"""In: facts, switches, and rows from a seed or a store.
Out: the company as every rule finds it: rows with keys, versions and undo, and how they are shown.
"""
