"""`doctor --record FILE`: what this ERP is like, without a value of its company, for the simulator."""

import asyncio
from pathlib import Path
from typing import Final, TextIO

from erp_gateway.components import erp_credentials, erp_settings
from erp_gateway.doctor.questions import QUESTIONS
from erp_gateway.extensions import ExtensionError, load_extensions
from erp_gateway.settings.root import Settings
from erpdoctor.recording.command import record_into
from erpdoctor.recording.recorder import record_erp as write_down

WEB_USERS: Final = "EmployeesInfo"
"""Looked at beside the registered resources, its key alone: web login reads it."""


def record_erp(file: Path, settings: Settings, *, err: TextIO) -> int:
    """Look, in one session and by reads alone, and write a new file; return the exit code, 0 or 2."""

    def make() -> None:
        registries = load_extensions(settings.web.extensions, engine=settings.database_engine)
        asyncio.run(
            write_down(
                file,
                erp_settings(settings),
                erp_credentials(settings.erp),
                questions=QUESTIONS,
                entity_sets=[WEB_USERS, *(each.name for each in registries.resources.resources)],
                told=lambda name: err.write(f"{name}\n"),
            )
        )

    return record_into(file, make, faults=(ExtensionError,), err=err)
