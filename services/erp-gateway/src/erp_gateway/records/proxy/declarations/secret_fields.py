"""Properties that hold passwords."""

from typing import Final

SECRET_FIELDS: Final = frozenset(
    {"U_WEB_PASS", "Password", "UserPassword", "ServicePassword", "AuthorityPassword", "ApproverPassword"}
)
"""Properties that hold passwords: `U_WEB_PASS` by contract, the others by the metadata of Service Layer 10.0.

The proxy refuses them in every clause, whatever their letter case, and removes them from answers."""

SECRET_BODY_FIELDS: Final = frozenset({"U_WEB_PASS"})
"""Properties that no body may write. Clients may set the ERP's own passwords of partners and contacts."""
