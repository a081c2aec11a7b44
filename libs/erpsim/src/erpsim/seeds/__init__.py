"""Starting data, always the same.

| web user | password | what it shows |
|---|---|---|
| `ana` | `ana-demo` | plain password, active; administrator in the demo |
| `luis` | `luis-demo` | plain password, active; sales |
| `carmen` | `carmen-demo` | stored as an Argon2id hash |
| `pedro` | `pedro-demo` | inactive employee |
| `rosa` | `rosa-demo` | two active employees hold this web user |
| `diego` | (empty) | an empty stored password |
"""

ERP_USERS = {"manager": "erpsim", "bodega": "erpsim"}
"""ERP users (company logins) and their passwords; `manager` is a superuser."""

WEB_USERS = {
    "ana": "ana-demo",
    "luis": "luis-demo",
    "carmen": "carmen-demo",
    "pedro": "pedro-demo",
    "rosa": "rosa-demo",
    "diego": "",
}
"""Web users (employees' `U_WEB_USER`) and the passwords that belong to them."""
