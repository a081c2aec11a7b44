"""A look at the gateway through its origin: what its checks share."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
from attrs import define

from erp_gateway.settings.service import Web
from erpdoctor import Group
from erpdoctor.origin import Asker, NoAnswerError, OriginTarget, Reply

ORIGIN: Final = Group("origin", "docs/doctor.md#origin")
PROBE: Final = "/api/system/probe"


class Seen(msgspec.Struct, rename="camel"):
    """What the probe tells; see `erp_gateway.system.probe.SeenRequest`."""

    target: str
    client: str
    peer: str
    scheme: str
    host: str
    prefix: str
    forwarded: tuple[str, ...]
    body_bytes: int


@define
class OriginContext:
    """What is known so far; each check adds to it.

    Attributes:
        target: the origin.
        token_file: with an administrator's token; None where nobody named one.
        web: what the service believes of proxies, and how large a body it takes.
        wait_s: for how long the service is asked to keep silent.
        asker: asks as the token's person.
        plain: what reaches the service of a request that says nothing odd.
    """

    target: OriginTarget
    token_file: Path | None
    web: Web
    wait_s: int
    asker: Asker | None = None
    plain: Seen | None = None

    async def probe(
        self, further: str = "", *, body: bytes | None = None, headers: Iterable[tuple[str, str]] = ()
    ) -> Reply:
        """Ask the probe as the token's person.

        Raises:
            NoAnswerError: there was no answer.
        """
        return await self.person.ask(f"{PROBE}{further}", body=body, headers=headers, as_person=True)

    @property
    def person(self) -> Asker:
        """What asks as the token's person; checks that use it need the one that reads the token."""
        if self.asker is None:
            raise NoAnswerError("no token")
        return self.asker


def seen_in(reply: Reply) -> Seen | None:
    """Return what the probe told; None where the answer is none of its."""
    if reply.status != 200:  # noqa: PLR2004 - an HTTP status
        return None
    try:
        return msgspec.json.decode(reply.body, type=Seen)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
