"""The database that is checked."""

from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path

from attrs import frozen

from erpdoctor.database.sessions import Session
from erpdoctor.network.reaching import Address


class DatabaseTrouble(Enum):
    """Meaning of an error's number and text."""

    LOGIN = "login"
    """User or password are wrong, or the user is locked."""
    SILENT = "silent"
    """It can't be reached, or does not answer in time."""
    OTHER = "other"


@frozen(kw_only=True)
class DatabaseTarget:
    """The database to check.

    Attributes:
        engine: its kind.
        address: of the server; None of a file.
        file: database file without a server.
        named: user or file, for the terminal.
        schema: of the company; empty of a file.
        encrypted: whether the connection is encrypted.
        authorities: file of trusted authorities besides the system's.
        open_session: opens a session; None if the driver is missing.
        trouble_of: classifies an error by number and text.
        queries: the registered ones, text and number of places for values, by their names.
        shared_ca_checks: earlier checks that use the same CA file.
    """

    engine: str
    address: Address | None
    file: Path
    named: str
    schema: str
    encrypted: bool
    authorities: Path | None
    open_session: Callable[[], Session | None]
    trouble_of: Callable[[int, str], DatabaseTrouble]
    queries: Mapping[str, tuple[str, int]]
    shared_ca_checks: tuple[str, ...] = ()
