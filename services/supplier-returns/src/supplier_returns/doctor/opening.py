"""Puts the doctor together: every check there is, in the order in which they run."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import attrs

from erpclient import Credentials
from erpdoctor.checks import Check, Group
from erpdoctor.inspection.inspection import Inspection
from erpdoctor.network.checks import NetworkChecks
from erpdoctor.origin.checks import OriginTarget, origin_checks, token_check
from erpdoctor.service_layer.session import CheckContext, patient, probe_server
from servicekit.clock import Clock
from supplier_returns.components import erp_settings
from supplier_returns.doctor.company import CompanyChecks
from supplier_returns.doctor.installed import InstalledChecks
from supplier_returns.doctor.session import login_checks
from supplier_returns.metadata.definitions import load_definitions
from supplier_returns.pasting.reading import MAX_PASTE_BYTES
from supplier_returns.settings import Settings

ORIGIN: Final = Group("origin", "docs/doctor.md#origin")


@asynccontextmanager
async def open_doctor(
    settings: Settings,
    credentials: Credentials | None,
    *,
    clock: Clock,
    origin: OriginTarget | None = None,
) -> AsyncIterator[tuple[Check, ...]]:
    """Yield all checks; nothing is looked at before they run. Leaving logs out.

    Args:
        settings: of the installation.
        credentials: who looks; None: what needs a session is skipped.
        clock: time.
        origin: where people reach the service; None leaves the proxy before it alone.
    """
    service_layer = settings.service_layer
    erp = attrs.evolve(erp_settings(service_layer), login_timeout_s=service_layer.timeout_s)
    async with Inspection(patient(erp)) as inspection:
        context = CheckContext(inspection=inspection)
        yield (
            *NetworkChecks(
                service_layer.url,
                authorities=service_layer.ca_file,
                verify=service_layer.reject_unauthorized,
                production=settings.installation.is_production,
                probe=partial(probe_server, inspection),
                clock=clock,
                group=Group("network", "docs/doctor.md#network"),
            ).checks(),
            *login_checks(context, credentials, settings.sessions.timeout_minutes),
            *InstalledChecks(context, settings.returns, load_definitions()).checks(),
            *CompanyChecks(
                context,
                settings.tax_documents,
                lambda: clock.now().astimezone(settings.web.timezone).date(),
            ).checks(),
            *origin_checks(
                origin,
                group=ORIGIN,
                health_member="estado",
                takes_most=("/api/planificaciones/pegar", MAX_PASTE_BYTES),
                production=settings.installation.is_production,
                clock=clock,
            ),
            *(() if origin is None else (token_check(ORIGIN),)),
        )
