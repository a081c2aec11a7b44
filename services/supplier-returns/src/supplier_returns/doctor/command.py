"""`doctor`: what stands between this installation and its ERP. It only looks."""

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from getpass import getpass
from typing import Final, TextIO

from erpdoctor.checks import Check, Group, fail, ok, warn
from erpdoctor.command import BAD_ARGUMENTS, run_and_print
from erpdoctor.conformance.arguments import credentials_of
from erpdoctor.origin.checks import OriginTarget
from servicekit.clock import Clock
from servicekit.config import ConfigError, secrets_of, similar_names
from servicekit.logs import LogSettings, configure_logging
from supplier_returns.doctor.opening import open_doctor
from supplier_returns.settings import OWN_PREFIXES, Settings, load_settings

SETTINGS: Final = Group("settings", "docs/doctor-returns.md#settings")
INVALID: Final = fail(
    "settings_invalid",
    "La configuración tiene errores; nada más se pudo mirar.",
    remedy="Ejecute `supplier-returns check-config` y corrija lo que nombra.",
    page="docs/configuration.md",
)
MISSPELT: Final = warn(
    "settings_misspelt",
    "Hay variables de entorno que se parecen a una configuración y no lo son.",
    remedy="Ejecute `supplier-returns check-config` y corrija esos nombres.",
    page="docs/configuration.md",
)


async def run_doctor(
    arguments: argparse.Namespace,
    environ: Mapping[str, str],
    *,
    clock: Clock,
    out: TextIO,
    err: TextIO,
    ask_secret: Callable[[str], str] = getpass,
) -> int:
    """Look at everything that was asked for; print what was found and return the exit code."""
    faults = [_misspelt(environ)]
    tell = partial(
        run_and_print, arguments=arguments, service="supplier-returns", clock=clock, out=out, err=err
    )
    try:
        settings = load_settings(environ)
    except ConfigError as error:
        faults.append(
            SETTINGS.found(
                "valid", "Configuración", INVALID.found("; ".join(map(str, error.problems))), INVALID
            )
        )
        return await tell(faults, only=())
    try:
        credentials = None
        if arguments.user is not None:
            company = settings.service_layer.company_db
            credentials = credentials_of(arguments, company, ask=input, ask_secret=ask_secret)
    except (OSError, UnicodeDecodeError) as error:
        err.write(f"No se pudo leer la clave: {error}\n")
        return BAD_ARGUMENTS
    try:
        origin = OriginTarget.of(arguments.origin, arguments.origin_ca_file)
    except ValueError as error:
        err.write(f"error: {error}\n")
        return BAD_ARGUMENTS
    configure_logging(LogSettings(level="CRITICAL"), secrets=secrets_of(settings), stream=err)
    async with open_doctor(settings, credentials, clock=clock, origin=origin) as checks:
        return await tell([*faults, *checks], only=arguments.only)


def declared() -> tuple[Check, ...]:
    """Return the checks of group `settings`, as they are where all is well; for the documentation."""
    return (SETTINGS.found("valid", "Configuración", ok(), INVALID), _misspelt({}))


def _misspelt(environ: Mapping[str, str]) -> Check:
    odd = list(similar_names(Settings, environ, own_prefixes=OWN_PREFIXES))
    told = ", ".join(str(problem) for problem in odd)
    finding = MISSPELT.found(told, names=len(odd)) if odd else ok()
    return SETTINGS.found("names", "Nombres de las variables de entorno", finding, MISSPELT)
