"""Puts the doctor together: every check there is, in the order in which they run."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from erpclient import Credentials
from erpdoctor import Check, Group
from erpdoctor.inspection import Inspection
from erpdoctor.network import network_checks
from erpdoctor.origin import AskedOrigin, origin_checks, token_check
from servicekit.clock import Clock
from supplier_returns.doctor.company import CompanyChecks
from supplier_returns.doctor.installed import InstalledChecks
from supplier_returns.doctor.knocking import knock_at
from supplier_returns.doctor.session import SessionChecks
from supplier_returns.doctor.visit import Visit, inspection_settings
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
    origin: AskedOrigin | None = None,
) -> AsyncIterator[tuple[Check, ...]]:
    """Yield all checks; nothing is looked at before they run. Leaving logs out.

    Args:
        settings: of the installation.
        credentials: who looks; None: what needs a session is skipped.
        clock: time.
        origin: where people reach the service; None leaves the proxy before it alone.
    """
    service_layer = settings.service_layer
    async with Inspection(inspection_settings(settings)) as inspection:
        visit = Visit(settings, inspection, credentials)
        yield (
            *network_checks(
                service_layer.url,
                authorities=service_layer.ca_file,
                verify=service_layer.reject_unauthorized,
                production=settings.installation.is_production,
                knock=partial(knock_at, inspection),
                clock=clock,
                group=Group("network", "docs/doctor.md#network"),
            ),
            *SessionChecks(visit).checks(),
            *InstalledChecks(visit, load_definitions()).checks(),
            *CompanyChecks(visit).checks(),
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
