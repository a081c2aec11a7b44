# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Settings of the report gateway. Without its address, the module is off."""

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from erp_gateway.settings.erp import EXAMPLE_PASSWORD
from servicekit.config import Secret, authority_problems, boolean, http_url, integer, seconds, setting, text
from servicekit.config.problems import Problem
from servicekit.service_settings import authorities


@frozen(kw_only=True)
class ReportGateway:
    """Report gateway."""

    url: str = setting(
        "APIGATEWAY_URL",
        help="Address of the report gateway. Without it this module is off.",
        example="https://10.0.0.5:60000",
        parse=http_url(),
    )
    company_db: str = setting(
        "APIGATEWAY_COMPANY_DB",
        help="Database to name at login.",
        example="SBO_COMPANY",
        parse=text(max_length=254),
    )
    user: str = setting(
        "APIGATEWAY_USER", help="User to log in with.", example="gateway", parse=text(max_length=254)
    )
    password: Secret = setting(
        "APIGATEWAY_PASSWORD", help="Password of that user.", example=EXAMPLE_PASSWORD, secret=True
    )
    instance: str | None = setting(
        "APIGATEWAY_INSTANCE",
        help="Database instance to name at login, if the report gateway serves several.",
        example="10.0.0.5:30015",
        parse=text(max_length=254),
        default=None,
    )
    timeout_s: float = setting(
        "APIGATEWAY_TIMEOUT", help="Seconds that one report may take.", parse=seconds(1, 3600), default=120.0
    )
    max_concurrency: int = setting(
        "APIGATEWAY_MAX_CONCURRENCY", help="Concurrent reports.", parse=integer(1, 64), default=2
    )
    check_document: bool = setting(
        "APIGATEWAY_CHECK_DOCUMENT",
        help="Check with one read before each print that the documents exist in the ERP.",
        parse=boolean(),
        default=True,
    )
    refuse_blank: bool = setting(
        "APIGATEWAY_REFUSE_BLANK",
        help="Refuse a document that prints as a blank page, as `report_empty`.",
        parse=boolean(),
        default=True,
    )
    ca_file: Path | None = authorities("APIGATEWAY_CA_FILE")

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions between these settings."""
        yield from authority_problems("APIGATEWAY_CA_FILE", self.ca_file)
