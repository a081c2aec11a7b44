"""Response bodies of the health routes."""

from typing import Literal

from attrs import frozen


@frozen(kw_only=True)
class HealthAnswer:
    """State of the process, and its version."""

    estado: Literal["ok"]
    version: str


@frozen(kw_only=True)
class ErpHealthAnswer:
    """State of the ERP. `ping` is the reply of its load balancer."""

    estado: Literal["ok"]
    ping: str
