"""Behaviour and users of a simulated database server."""

from collections.abc import Mapping

from attrs import field, frozen

from erpsim.hana.protocol.login import PBKDF2, PLAIN
from erpsim.hana.tables.rights import EVERYTHING, Grants, Right

WEAKER_USERS: Mapping[str, Grants] = {
    "READER": Grants(frozenset({Right.SELECT})),
    "CLERK": Grants(tables=frozenset({"OITM", "OITW", "OCRD"})),
    "STRANGER": Grants(),
}
"""Users with fewer rights. They share the password of the full user."""


@frozen
class HanaSettings:
    """Settings of the server.

    Attributes:
        users: password by user name, folded as the server folds it (upper case unless quoted).
        rights: rights of the restricted users.
        methods: accepted login methods, preferred first.
        rows_per_packet: most rows in one reply.
        lob_inline: UTF-16 units (or bytes) of a LOB that travel inside its row.
        data_format: highest data format version the server speaks.
    """

    users: Mapping[str, str] = field(repr=False)
    rights: Mapping[str, Grants] = field(factory=dict)
    methods: tuple[str, ...] = (PBKDF2, PLAIN)
    rows_per_packet: int = 1000
    lob_inline: int = 1024
    data_format: int = 8
    grants: Mapping[str, Grants] = field(init=False)
    """Grants of each user."""

    @grants.default
    def _grants_of_all(self) -> Mapping[str, Grants]:
        return {user: self.rights.get(user, EVERYTHING) for user in self.users}


def users_with(user: str, password: str) -> dict[str, str]:
    """Return the users of a server: this one and the restricted ones."""
    return {**dict.fromkeys(WEAKER_USERS, password), user.upper(): password}
