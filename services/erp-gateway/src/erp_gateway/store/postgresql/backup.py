"""The command that copies the store's database: PostgreSQL's own, which knows all that belongs to it."""

import shlex
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from erp_gateway.store.errors import StoreNotUsable
from erp_gateway.store.places import PostgresPlace

_SECRETS = ("password", "sslpassword", "passfile")


def dump_command(place: PostgresPlace, target: Path) -> str:
    """Return the command, for a shell, that copies the database into a new file; without a password.

    Of several servers it copies the one that takes writes: others may lag behind.

    Raises:
        StoreNotUsable: the URL can't be read.
    """
    try:
        parameters = conninfo_to_dict(place.url.reveal())
    except psycopg.ProgrammingError:  # its text may hold a part of the password
        raise StoreNotUsable("STORE_URL can't be read by libpq") from None
    shown = {name: value for name, value in parameters.items() if name not in _SECRETS}
    if any("," in str(shown.get(name)) for name in ("host", "hostaddr", "port")):
        shown.setdefault("target_session_attrs", "primary")
    words = [
        "pg_dump",
        "--format=custom",
        "--no-owner",
        "--no-acl",
        f"--file={target}",
        make_conninfo("", **shown),
    ]
    return shlex.join(words)
