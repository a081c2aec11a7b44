"""Checking who somebody is, against the ERP's employees."""

from __future__ import annotations

from attrs import field, frozen

from erp_gateway.web.session import WebSession


@frozen(kw_only=True)
class SignedIn:
    """A login that succeeded: the token is shown once and kept nowhere."""

    token: str = field(repr=False)
    session: WebSession
    company_name: str
