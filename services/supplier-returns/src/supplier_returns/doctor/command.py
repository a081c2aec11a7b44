"""`doctor`: what stands between this installation and its ERP. It only looks."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from getpass import getpass
from importlib.metadata import version
from typing import Final, TextIO

from erpclient import Credentials
from erpdoctor import Cause, Check, Finding, Group, UnknownGroupError, chosen, fail, ok, warn
from erpdoctor.command import examine, print_report
from erpdoctor.origin import AskedOrigin
from servicekit.clock import Clock
from servicekit.config import ConfigError, secrets_of, similar_names
from servicekit.logs import LogSettings, configure_logging
from supplier_returns.doctor.opening import open_doctor
from supplier_returns.settings import OWN_PREFIXES, Settings, load_settings

SETTINGS: Final = Group("settings", "docs/doctor-returns.md#settings")
INVALID: Final = fail(
    "settings_invalid",
    "La configuración tiene errores; nada más se pudo mirar.",
    mend="Ejecute `supplier-returns check-config` y corrija lo que nombra.",
    page="docs/configuration.md",
)
MISSPELT: Final = warn(
    "settings_misspelt",
    "Hay variables de entorno que se parecen a una configuración y no lo son.",
    mend="Ejecute `supplier-returns check-config` y corrija esos nombres.",
    page="docs/configuration.md",
)

_BAD_ARGUMENTS: Final = 2


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
    try:
        settings = load_settings(environ)
    except ConfigError as error:
        faults.append(
            _check("valid", "Configuración", INVALID.found("; ".join(map(str, error.problems))), INVALID)
        )
        return await _tell(faults, arguments, clock=clock, out=out, err=err)
    try:
        credentials = _credentials(arguments, settings, ask_secret)
    except (OSError, UnicodeDecodeError) as error:
        err.write(f"No se pudo leer la clave: {error}\n")
        return _BAD_ARGUMENTS
    try:
        origin = AskedOrigin.of(arguments.origin, arguments.origin_ca_file)
    except ValueError as error:
        err.write(f"error: {error}\n")
        return _BAD_ARGUMENTS
    configure_logging(LogSettings(level="CRITICAL"), secrets=secrets_of(settings), stream=err)
    async with open_doctor(settings, credentials, clock=clock, origin=origin) as checks:
        return await _examine([*faults, *checks], arguments, clock=clock, out=out, err=err)


def declared() -> tuple[Check, ...]:
    """Return the checks of group `settings`, as they are where all is well; for the documentation."""
    return (_check("valid", "Configuración", ok(), INVALID), _misspelt({}))


def _credentials(
    arguments: argparse.Namespace, settings: Settings, ask_secret: Callable[[str], str]
) -> Credentials | None:
    if arguments.user is None:
        return None
    if arguments.password_file is None:
        password = ask_secret("Clave: ")
    else:
        password = arguments.password_file.read_text(encoding="utf-8").rstrip("\r\n")
    return Credentials(settings.service_layer.company_db, arguments.user, password)


async def _examine(
    checks: list[Check], arguments: argparse.Namespace, *, clock: Clock, out: TextIO, err: TextIO
) -> int:
    try:
        wanted = chosen(checks, only=arguments.only)
    except UnknownGroupError as error:
        err.write(f"error: {error}\n")
        return _BAD_ARGUMENTS
    return await _tell(wanted, arguments, clock=clock, out=out, err=err)


async def _tell(
    wanted: Sequence[Check], arguments: argparse.Namespace, *, clock: Clock, out: TextIO, err: TextIO
) -> int:
    """Look, and tell what was found. Without settings there are no groups to choose from: all is told."""
    report = await examine(
        wanted, service="supplier-returns", version=version("supplier-returns"), clock=clock, progress=err
    )
    print_report(report, as_json=arguments.json, out=out)
    return report.exit_code


def _misspelt(environ: Mapping[str, str]) -> Check:
    odd = list(similar_names(Settings, environ, own_prefixes=OWN_PREFIXES))
    told = ", ".join(str(problem) for problem in odd)
    finding = MISSPELT.found(told, names=len(odd)) if odd else ok()
    return _check("names", "Nombres de las variables de entorno", finding, MISSPELT)


def _check(name: str, looked_at: str, finding: Finding, *causes: Cause) -> Check:
    async def look() -> Finding:
        return finding

    return SETTINGS.check(name, looked_at, look, *causes)
