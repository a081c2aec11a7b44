"""`doctor --record FILE`: what this ERP is like, without a value of its company, for the simulator."""

import asyncio
from pathlib import Path
from typing import Any, Final, TextIO

from erp_gateway.components import erp_credentials, erp_settings
from erp_gateway.conformance.questions import QUESTIONS
from erp_gateway.extensions import ExtensionError, load_extensions
from erp_gateway.settings.whole import Settings
from erpclient import ErpError, ErpLoginRejected
from erpclient.conformance.ground import Ground
from erpclient.conformance.line import Line
from erpclient.recording.recorder import record, write_record

WEB_USERS: Final = "EmployeesInfo"
"""Looked at beside the registered resources, its key alone: web login reads it."""

_NOT_RECORDED: Final = 2


def record_erp(file: Path, settings: Settings, *, err: TextIO) -> int:
    """Look, in one session and by reads alone, and write a new file; return the exit code, 0 or 2."""
    if file.exists():
        err.write(f"{file} ya existe y no se sobrescribe.\n")
        return _NOT_RECORDED
    try:
        registries = load_extensions(settings.web.extensions, engine=settings.database_engine)
        names = [WEB_USERS, *(resource.name for resource in registries.resources.resources)]
        write_record(file, asyncio.run(_look(settings, names, err)))
    except ErpLoginRejected as error:
        err.write(f"El ERP rechazó el inicio de sesión (código {error.code}); no se intenta de nuevo.\n")
        return _NOT_RECORDED
    except (ErpError, ExtensionError, OSError) as error:
        err.write(f"No se pudo registrar: {error}\n")
        return _NOT_RECORDED
    err.write(f"{file}: escrito; no contiene datos de la empresa. Úselo con `erpsim serve --like`.\n")
    return 0


async def _look(settings: Settings, names: list[str], err: TextIO) -> dict[str, Any]:
    async with Line(erp_settings(settings), erp_credentials(settings.erp)) as line:
        return await record(
            Ground(line),
            questions=QUESTIONS,
            entity_sets=names,
            told=lambda name: err.write(f"{name}\n"),
        )
