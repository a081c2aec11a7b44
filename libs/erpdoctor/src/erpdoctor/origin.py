"""Checks of the public address of a service: its connection and its certificate, with the days left.

`doctor --origin` connects as a browser does and sends no request.
"""

from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from attrs import frozen

from erpdoctor.checks import Check, Group, ok, skipped
from erpdoctor.network.connection import ConnectionChecks
from erpdoctor.network.reaching import Address
from servicekit.clock import Clock
from servicekit.tls import trusting

ALLOWED: Final = (
    "--origin must be like https://erp.example.com, with a path where the service has one, and nothing else"
)
NO_ORIGIN: Final = skipped(
    "no_origin",
    "No se indicó la dirección con que la gente llega a este servicio.",
    english="`--origin` was not given.",
    remedy="Repita con --origin https://… para revisar también el certificado que ven los navegadores.",
    english_remedy="Repeat with --origin https://… to check also the certificate that browsers see.",
)


@frozen
class Origin:
    """The public address of a service.

    Attributes:
        url: as given on the command line.
        authorities: file of authorities trusted besides the system's.
    """

    url: str
    authorities: Path | None = None

    @staticmethod
    def of(url: str | None, authorities: Path | None) -> "Origin | None":
        """Read the arguments of a doctor; None without `--origin`.

        Raises:
            ValueError: the address is invalid, or the file contains no certificate; the text names the
                argument.
        """
        if url is None:
            return None
        _check_address(url)
        try:
            trusting(authorities)
        except OSError:  # ssl.SSLError is an OSError too
            raise ValueError(f"--origin-ca-file: {authorities} is no file with certificates") from None
        return Origin(url, authorities)


def _check_address(url: str) -> None:
    parts = urlsplit(url)
    plain = url.isascii() and url.isprintable() and " " not in url
    is_complete = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    if not plain or not is_complete or parts.query or parts.fragment:
        raise ValueError(ALLOWED)
    try:
        Address.of(url)
    except ValueError:  # of the port
        raise ValueError(ALLOWED) from None


def origin_checks(
    origin: Origin | None, *, group: Group, production: bool, clock: Clock
) -> tuple[Check, ...]:
    """Return the checks of the public address.

    Args:
        origin: the address; None: a single check says that none was given.
        group: to which the checks belong.
        production: whether plain http is a warning.
        clock: time.
    """
    if origin is None:
        return (
            group.found(
                "address",
                "Dirección pública",
                NO_ORIGIN.found(),
                NO_ORIGIN,
                english="Public address of the service.",
            ),
        )
    address = group.found(
        "address", "Dirección pública", ok(origin.url), NO_ORIGIN, english="Public address of the service."
    )
    connection = ConnectionChecks(
        origin.url,
        authorities=origin.authorities,
        verify=True,
        production=production,
        clock=clock,
        group=group,
    )
    return (address, *connection.checks())
