"""Bodies that the health routes answer."""

from typing import Literal

from attrs import frozen


@frozen(kw_only=True)
class HealthAnswer:
    """The process lives, and which version it is."""

    estado: Literal["ok"]
    version: str


@frozen(kw_only=True)
class ErpHealthAnswer:
    """The ERP is reachable and answers; `ping` is what stands before it."""

    estado: Literal["ok"]
    ping: str
