"""Build the `pg_dump` command that backs up the store's database."""

import shlex
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from erp_gateway.store.errors import StoreNotUsable
from erp_gateway.store.places import PostgresPlace

_SECRETS = ("password", "sslpassword", "passfile")


def dump_command(place: PostgresPlace, target: Path) -> str:
    """Return a shell command that dumps the database into a new file, without a password.

    With several servers it dumps the primary, because replicas may lag behind.

    Raises:
        StoreNotUsable: the URL can't be parsed.
    """
    try:
        parameters = conninfo_to_dict(place.url.reveal())
    except psycopg.ProgrammingError:  # the message may contain a part of the password
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
