# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Settings of the Service Layer and its time limits."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from attrs import frozen

from servicekit.config import (
    Secret,
    authority_problems,
    integer,
    seconds,
    setting,
    text,
)
from servicekit.config.problems import Problem
from servicekit.erp.settings import authority_folder, folder_problems, service_layer_url
from servicekit.service_settings import authorities

EXAMPLE_PASSWORD: Final = "change-me"  # noqa: S105 - an example; the configuration warns of it
"""Every password in `config.example.env`."""

READ_MARGIN_S: Final = 5.0
"""A read may take this much less than the longest wait in the queue."""

LEAST_READ_S: Final = 1.0
"""Least time limit of a read, however short the wait in the queue is."""

MAX_CHANGE_SET: Final = 20
"""Greatest number of operations in a change set."""

FURTHER_OPERATION_S: Final = 10.0
"""Time that each operation of a change set after the first one adds to its limit."""

MAX_CHANGE_SET_S: Final = 300.0
"""Greatest time limit of a change set: it occupies the session that long."""

GRACE_MARGIN_S: Final = 10.0
"""A shutdown waits this much longer than the longest call to the ERP or its report gateway."""


@frozen(kw_only=True)
class ErpUpstream:
    """Service Layer of the ERP, with one shared session."""

    url: str = setting(
        "ERP_SL_URL",
        help=(
            "Address of the Service Layer with its version segment. SAP has deprecated v1 (OData "
            "3) since FP 2405."
        ),
        example="https://10.0.0.5:50000/b1s/v2",
        parse=service_layer_url(),
    )
    company_db: str = setting(
        "ERP_SL_COMPANY_DB",
        help="Company database to log in to.",
        example="SBO_COMPANY",
        parse=text(max_length=254),
    )
    user: str = setting(
        "ERP_SL_USER", help="ERP user of the shared session.", example="gateway", parse=text(max_length=254)
    )
    password: Secret = setting(
        "ERP_SL_PASSWORD", help="Password of that user.", example=EXAMPLE_PASSWORD, secret=True
    )
    ca_file: Path | None = authorities("ERP_SL_CA_FILE")
    ca_folder: Path | None = authority_folder()
    max_concurrency: int = setting(
        "ERP_SL_MAX_CONCURRENCY",
        help="Concurrent calls to the Service Layer. Above 2, each call costs several seconds.",
        parse=integer(1, 64),
        default=1,
    )
    queue_limit: int = setting(
        "ERP_SL_QUEUE_LIMIT",
        help=(
            "Requests that may wait in total, including 32 sign-ins and 32 requests of "
            "administrators (a quarter each at most)."
        ),
        parse=integer(1, 100_000),
        default=512,
    )
    queue_per_user: int = setting(
        "ERP_SL_QUEUE_PER_USER",
        help="Requests of one user that may wait.",
        parse=integer(1, 100_000),
        default=256,
    )
    max_reply_bytes: int = setting(
        "ERP_SL_MAX_REPLY_BYTES",
        help=(
            "Largest response of the Service Layer to read, in bytes uncompressed. Each call in "
            "flight may hold this much."
        ),
        parse=integer(1024 * 1024, 1024 * 1024 * 1024),
        default=32 * 1024 * 1024,
    )

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions between these settings."""
        yield from authority_problems("ERP_SL_CA_FILE", self.ca_file)
        yield from folder_problems(self.ca_folder)


@frozen(kw_only=True)
class Deadlines:
    """Time limits."""

    timeout_s: float = setting(
        "ERP_SL_TIMEOUT", help="Seconds that one call may take.", parse=seconds(0.1, 3600), default=60.0
    )
    login_timeout_s: float = setting(
        "ERP_SL_LOGIN_TIMEOUT", help="Seconds that a login may take.", parse=seconds(0.1, 600), default=30.0
    )
    probe_timeout_s: float = setting(
        "ERP_PROBE_TIMEOUT",
        help="Seconds that the probe of a silent ERP may take.",
        parse=seconds(0.1, 60),
        default=5.0,
    )
    queue_timeout_s: float = setting(
        "ERP_SL_QUEUE_TIMEOUT",
        help=(
            "Seconds that a request may wait in the queue. A read may take 5 s less than this, or"
            " half of it below 10 s."
        ),
        parse=seconds(0.1, 3600),
        default=30.0,
    )
    configured_grace_s: float | None = setting(
        "SHUTDOWN_GRACE",
        help=(
            "Seconds for running requests to finish at shutdown (default: the longest of the limit "
            "of a change set of 20, ERP_SL_TIMEOUT and, with reports, APIGATEWAY_TIMEOUT, + 10). A "
            "change set may take 10 s less than this."
        ),
        parse=seconds(1, 3610),
        default=None,
    )

    @property
    def read_timeout_s(self) -> float:
        """Seconds that one read may take.

        It is less than the longest wait in the queue, so that one slow read does not time out other requests.
        The margin is at most half of that wait: even a short one leaves time to read.
        """
        margin_s = min(READ_MARGIN_S, self.queue_timeout_s / 2)
        return min(self.timeout_s, max(self.queue_timeout_s - margin_s, LEAST_READ_S))

    def change_set_timeout_s(self, operations: int) -> float:
        """Seconds that a change set may take: more with each operation, and never so long that a shutdown
        would cut it off.
        """
        limit_s = min(MAX_CHANGE_SET_S, self.timeout_s + FURTHER_OPERATION_S * (operations - 1))
        if self.configured_grace_s is None:
            return limit_s
        return min(limit_s, self.configured_grace_s - GRACE_MARGIN_S)

    @property
    def longest_write_s(self) -> float:
        """Seconds that the longest write may take: one alone, or a change set."""
        return max(self.timeout_s, self.change_set_timeout_s(MAX_CHANGE_SET))

    def longest_call_s(self, operations: int = 1) -> float:
        """Seconds after which a call has certainly ended: wait in the queue, login, and the call itself.

        Args:
            operations: of a change set; 1 for any other call.
        """
        call_s = max(self.timeout_s, self.change_set_timeout_s(operations))
        return self.queue_timeout_s + self.login_timeout_s + call_s

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions between these settings."""
        grace_s, least_s = self.configured_grace_s, self.timeout_s + GRACE_MARGIN_S
        if grace_s is not None and grace_s < least_s:
            yield Problem(
                "SHUTDOWN_GRACE",
                f"{grace_s:g} would cut off calls to the ERP; "
                f"allowed: at least {least_s:g} (ERP_SL_TIMEOUT + {GRACE_MARGIN_S:g})",
                f"{grace_s:g} cortaría llamadas al ERP; "
                f"se admite: al menos {least_s:g} (ERP_SL_TIMEOUT + {GRACE_MARGIN_S:g})",
            )
