"""The clients, their known failing calls and the reasons."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


class Fault(enum.Enum):
    """Who is responsible for a failing call."""

    CLIENT = "the client's own"
    NOT_SIMULATED = "erpsim does not simulate it"
    UNPROVEN = "unproven: no real system was asked"


@dataclass(frozen=True)
class Known:
    """Reason of a failing call, optionally for one version of the ERP only."""

    fault: Fault
    why: str
    erp_version: str | None = None


@dataclass(frozen=True, kw_only=True)
class Client:
    """A client and the way to run it.

    Attributes:
        name: In its registry.
        version: Tested version.
        script: Module or file in this folder with its calls.
        erp_versions: Versions of the Service Layer that it supports; `HANA` for the database.
        with_it: Packages installed with it.
        known: Calls that are known to fail.
    """

    name: str
    version: str
    script: str
    erp_versions: tuple[str, ...]
    with_it: tuple[str, ...] = ()
    known: Mapping[str, Known] = field(default_factory=dict)

    def why(self, call: str, erp_version: str) -> Known | None:
        """Return why a call fails with this version of the ERP, or None if it must succeed."""
        known = self.known.get(call)
        return known if known is not None and known.erp_version in {None, erp_version} else None


HANA: Final = "HANA"

PYTHON_CLIENTS: Final = (
    Client(
        name="sbo-service-layer",
        version="0.2.3",
        script="with_sbo_service_layer",
        erp_versions=("v1",),
        with_it=("typing_extensions==4.16.0",),
        known={
            "next page": Known(
                Fault.UNPROVEN,
                "takes the link for relative: SAP's manual shows it rooted in v1, clients of 2026 do not; "
                "passes with `other_habits=next-links-of-the-other-version`",
            ),
        },
    ),
    Client(
        name="pyb1slayer",
        version="0.1.2.dev4",
        script="with_pyb1slayer",
        erp_versions=("v1", "v2"),
        known={
            "change record": Known(Fault.CLIENT, "reads a 204 as JSON; the change is done"),
            "delete record": Known(Fault.CLIENT, "reads a 204 as JSON; the record is gone"),
            "ping": Known(Fault.CLIENT, "looks for it below `/b1s` in v2", "v2"),
            "ping of a node": Known(Fault.CLIENT, "looks for it below `/b1s` in v2", "v2"),
            "batch": Known(Fault.CLIENT, "makes a body and does not send it"),
            "aggregation": Known(Fault.NOT_SIMULATED, "`$apply`: 501"),
            "joined query": Known(Fault.NOT_SIMULATED, "`QueryService_PostQuery`: 501"),
            "attachment by path": Known(Fault.NOT_SIMULATED, "`SourcePath` on the server: 501"),
            "semantic layer": Known(
                Fault.NOT_SIMULATED, "`sml.svc`: 400; in v2 the client asks below `/b1s`"
            ),
        },
    ),
    Client(
        name="sqlalchemy-hana",
        version="5.0.0",
        script="with_sqlalchemy_hana",
        erp_versions=(HANA,),
        with_it=("sqlalchemy==2.1.9", "hdbcli==2.30.27"),
    ),
)
NODE_CLIENTS: Final = (
    Client(
        name="sapb1-service-layer",
        version="1.0.0",
        script="with_sapb1_service_layer.mjs",
        erp_versions=("v1", "v2"),
        known={
            "page size": Known(Fault.CLIENT, "loses the headers that it is given for a read"),
        },
    ),
    Client(
        name="@sap-cloud-sdk/odata-v4",
        version="4.5.1",
        script="with_cloud_sdk.mjs",
        erp_versions=("v2",),
        with_it=(
            "@sap-cloud-sdk/generator@4.5.1",
            "@sap-cloud-sdk/connectivity@4.5.1",
            "@sap-cloud-sdk/http-client@4.5.1",
            "@sap-cloud-sdk/resilience@4.5.1",
        ),
        known={
            "list by date": Known(
                Fault.UNPROVEN, "writes a date without quotes; SAP's manual shows them quoted"
            ),
        },
    ),
    Client(name="hdb", version="2.30.1", script="with_hdb.mjs", erp_versions=(HANA,)),
)
