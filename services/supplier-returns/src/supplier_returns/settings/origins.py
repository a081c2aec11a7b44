"""Origins of web pages."""

import re
from typing import Final

from attrs import frozen
from typing_extensions import override

_FORM: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(?P<port>[0-9]{1,5}))?",
    re.IGNORECASE,
)
_USUAL_PORTS: Final = {"http": 80, "https": 443}


@frozen
class Origin:
    """Origin of a page in lower case, so that different spellings are equal."""

    scheme: str
    host: str
    port: int

    @override
    def __str__(self) -> str:
        usual = _USUAL_PORTS[self.scheme] == self.port
        return f"{self.scheme}://{self.host}" + ("" if usual else f":{self.port}")


def parse_origin(text: str) -> Origin | None:
    """Parse an origin as browsers write it. Return None for anything else, including `null`."""
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    scheme = match["scheme"].lower()
    port = int(match["port"]) if match["port"] else _USUAL_PORTS[scheme]
    return Origin(scheme, match["host"].lower(), port) if 0 < port < 65_536 else None  # noqa: PLR2004
