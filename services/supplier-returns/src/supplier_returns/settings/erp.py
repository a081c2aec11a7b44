# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Settings of the ERP's Service Layer."""

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from servicekit.config import (
    authority_problems,
    boolean,
    choice,
    integer,
    seconds,
    setting,
    text,
)
from servicekit.config.problems import Problem
from servicekit.erp.settings import authority_folder, folder_problems, service_layer_url
from servicekit.service_settings import authorities


@frozen(kw_only=True)
class ServiceLayer:
    """Service Layer of the ERP."""

    url: str = setting(
        "SL_URL",
        help="Address of the Service Layer with its version segment. SAP has deprecated v1 (OData "
        "3) since FP 2405.",
        example="https://10.0.0.5:50000/b1s/v2",
        parse=service_layer_url(),
    )
    company_db: str = setting(
        "SL_COMPANY_DB",
        help="Company database that users log in to.",
        example="SBO_EMPRESA",
        parse=text(max_length=254),
    )
    reject_unauthorized: bool = setting(
        "SL_REJECT_UNAUTHORIZED",
        help="Check its certificate. false accepts any certificate: for a self-signed one, "
        "SL_CA_FILE is better.",
        parse=boolean(),
        default=True,
    )
    ca_file: Path | None = authorities("SL_CA_FILE")
    ca_folder: Path | None = authority_folder()
    db_type: str = setting(
        "DB_TYPE",
        help="Database of the ERP: HANA in production, MSSQL for tests. It selects the text of "
        "each stored query.",
        example="HANA",
        parse=choice("HANA", "MSSQL"),
    )
    timeout_s: float = setting(
        "SL_TIMEOUT", help="Seconds that one call may take.", parse=seconds(0.1, 3600), default=60.0
    )
    probe_timeout_s: float = setting(
        "ERP_PROBE_TIMEOUT",
        help="Seconds that the probe of a silent ERP may take.",
        parse=seconds(0.1, 60),
        default=5.0,
    )
    metadata_timeout_s: float = setting(
        "SL_METADATA_TIMEOUT",
        help="Seconds that creating one table, field or object may take. It changes the database.",
        parse=seconds(0.1, 3600),
        default=300.0,
    )
    max_reply_bytes: int = setting(
        "SL_MAX_REPLY_BYTES",
        help="Largest response of the Service Layer to read, in bytes uncompressed. Each call in "
        "flight may hold this much.",
        parse=integer(1024 * 1024, 1024 * 1024 * 1024),
        default=32 * 1024 * 1024,
    )

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions between settings."""
        yield from authority_problems("SL_CA_FILE", self.ca_file)
        yield from folder_problems(self.ca_folder)
