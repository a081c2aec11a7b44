# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Settings of the read-only access to the ERP's database. Without an engine, the module is off."""

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from erp_gateway.settings.erp import EXAMPLE_PASSWORD
from servicekit.config import (
    Secret,
    authority_problems,
    boolean,
    choice,
    integer,
    path,
    seconds,
    setting,
    text,
)
from servicekit.config.problems import Problem


@frozen(kw_only=True)
class ErpDatabase:
    """Read-only access to the ERP's database."""

    engine: str = setting(
        "ERPDB_ENGINE",
        help="Kind of database. Without it this module is off. hana needs hdbcli, which the published image "
        "lacks (SAP's licence): build one with WITH_HANA=1. sqlite is for trials.",
        example="hana",
        parse=choice("hana", "sqlite"),
    )
    server: str | None = setting(
        "ERPDB_SERVER",
        help="Host name or address. Required for hana.",
        example="10.0.0.5",
        parse=text(max_length=254),
        default=None,
    )
    port: int = setting(
        "ERPDB_PORT",
        help="Port of the database: 3NN15, or 3NN13 together with ERPDB_DATABASE.",
        parse=integer(1, 65535),
        default=30015,
    )
    database: str | None = setting(
        "ERPDB_DATABASE",
        help="For hana the tenant database. For sqlite the path of the file, which is required.",
        parse=text(),
        default=None,
    )
    user: str | None = setting(
        "ERPDB_USER",
        help="Database user. Required for hana. Grant it only SELECT in the schema.",
        example="GATEWAY_READ",
        parse=text(max_length=254),
        default=None,
    )
    password: Secret | None = setting(
        "ERPDB_PASSWORD",
        help="Password of that user. Required for hana.",
        example=EXAMPLE_PASSWORD,
        secret=True,
        default=None,
    )
    schema: str | None = setting(
        "ERPDB_SCHEMA",
        help="Schema of the company. Required for hana.",
        example="SBO_COMPANY",
        parse=text(max_length=127),
        default=None,
    )
    encrypt: bool = setting("ERPDB_ENCRYPT", help="Encrypt the connection.", parse=boolean(), default=True)
    ca_file: Path | None = setting(
        "ERPDB_CA_FILE",
        help="PEM file with the certificate authorities to trust for it.",
        parse=path(),
        default=None,
    )
    tls_name: str | None = setting(
        "ERPDB_TLS_NAME",
        help="Name to expect in the database's certificate, if it is not ERPDB_SERVER.",
        parse=text(max_length=254),
        default=None,
    )
    connect_timeout_s: float = setting(
        "ERPDB_CONNECT_TIMEOUT",
        help="Seconds that connecting may take.",
        parse=seconds(0.1, 600),
        default=10.0,
    )
    max_concurrency: int = setting(
        "ERPDB_MAX_CONCURRENCY",
        help="Concurrent queries. One query may use at most half of the places.",
        parse=integer(1, 64),
        default=4,
    )
    timeout_s: float = setting(
        "ERPDB_TIMEOUT", help="Seconds that one query may take.", parse=seconds(0.1, 3600), default=30.0
    )
    max_rows: int = setting(
        "ERPDB_MAX_ROWS",
        help="Rows that one query returns at most.",
        parse=integer(1, 1_000_000),
        default=5000,
    )
    cache_mb: int = setting(
        "ERPDB_CACHE_MB",
        help="Megabytes for cached results. Only queries that declare a cache use it.",
        parse=integer(1, 10_000),
        default=32,
    )

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions between these settings."""
        required: dict[str, object] = (
            {"ERPDB_DATABASE": self.database}
            if self.engine == "sqlite"
            else {
                "ERPDB_SERVER": self.server,
                "ERPDB_USER": self.user,
                "ERPDB_PASSWORD": self.password,
                "ERPDB_SCHEMA": self.schema,
            }
        )
        for name, value in required.items():
            if value is None:
                yield Problem(
                    name,
                    f"required when ERPDB_ENGINE is {self.engine}",
                    f"es obligatorio cuando ERPDB_ENGINE es {self.engine}",
                )
        yield from authority_problems("ERPDB_CA_FILE", self.ca_file)
