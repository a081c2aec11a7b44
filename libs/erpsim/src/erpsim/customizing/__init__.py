"""What a company adds to its own metadata while it runs: user tables, fields, keys and objects.

`overlay` says what the metadata looks like with them, the other modules are the rules of their definitions
(`UserTablesMD`, `UserFieldsMD`, `UserObjectsMD`, `UserKeysMD`). The objects themselves follow
`erpsim.user_objects`.
"""
