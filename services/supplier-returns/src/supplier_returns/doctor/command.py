"""`doctor`: read-only checks of an installation and its ERP."""

import argparse
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from getpass import getpass
from pathlib import Path
from typing import Final, TextIO

import attrs

from erpclient import Credentials
from erpdoctor.checks import Check, Group, fail, ok, warn
from erpdoctor.command import BAD_ARGUMENTS, add_origin_arguments, add_run_arguments, run_and_print
from erpdoctor.conformance.arguments import credentials_of
from erpdoctor.inspection.inspection import Inspection
from erpdoctor.network.checks import network_checks
from erpdoctor.origin import Origin, origin_checks
from erpdoctor.saved_certificate import save_certificates
from erpdoctor.service_layer.context import CheckContext
from erpdoctor.service_layer.server import probe_server
from erpdoctor.service_layer.timeouts import patient
from servicekit.clock import Clock
from servicekit.config import ConfigError, find_warnings, secrets_of, similar_names
from servicekit.config.load import read_texts
from servicekit.config.problems import Problem
from servicekit.logs import LogSettings, configure_logging
from servicekit.terminal_language import is_english
from supplier_returns.components import erp_settings
from supplier_returns.doctor.company import CompanyChecks
from supplier_returns.doctor.installed import InstalledChecks
from supplier_returns.doctor.session import login_checks
from supplier_returns.metadata.definitions import load_definitions
from supplier_returns.settings.root import OWN_PREFIXES, Settings, load_settings

SETTINGS: Final = Group("settings", "docs/doctor-returns.md#settings")
ORIGIN: Final = Group("origin", "docs/doctor.md#origin")
INVALID: Final = fail(
    "settings_invalid",
    "La configuración tiene errores; nada más se pudo mirar.",
    english="It has errors. The terminal shows them. `check-config` also names missing files and programs.",
    remedy="Ejecute `supplier-returns check-config` y corrija lo que nombra.",
    english_remedy="Run `supplier-returns check-config` and correct what it names.",
    page="docs/configuration.md",
)
MISSPELT: Final = warn(
    "settings_misspelt",
    "Hay variables de entorno que se parecen a una configuración y no lo son.",
    english="At least one variable looks like a setting but has another name.",
    remedy="Ejecute `supplier-returns check-config` y corrija esos nombres.",
    english_remedy="Run `supplier-returns check-config` and correct these names.",
    page="docs/configuration.md",
)


UNSAFE: Final = warn(
    "settings_unsafe",
    "Hay configuraciones permitidas que no son seguras.",
    english="Some are unsafe: in production `SL_REJECT_UNAUTHORIZED=false` or no `SIGN_IN_DENIED_USERS`; "
    "`TRUSTED_PROXIES` covers every address; a value in the file ends at ` #` because it is "
    "not quoted.",
    remedy="Ejecute `supplier-returns check-config`, que dice por qué cada una, y corríjalas.",
    english_remedy="Run `supplier-returns check-config`, which says why for each, and correct them.",
    page="docs/configuration.md",
)
_CHECKED_ELSEWHERE: Final = frozenset({"SL_URL"})
"""Settings that a check of another group covers."""


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `doctor`."""
    add_run_arguments(parser)
    parser.add_argument(
        "--user",
        metavar="NAME",
        help="ERP user for the checks; without one, checks that need a session are skipped",
    )
    parser.add_argument(
        "--password-file",
        type=Path,
        metavar="FILE",
        help="file with that user's password; without it, you type the password",
    )
    add_origin_arguments(parser)


async def run_doctor(
    arguments: argparse.Namespace,
    environ: Mapping[str, str],
    *,
    clock: Clock,
    out: TextIO,
    err: TextIO,
    ask_secret: Callable[[str], str] = getpass,
) -> int:
    """Run the requested checks, print the findings and return the exit code."""
    if arguments.save_certificate is not None:
        return await _save_certificate(arguments.save_certificate, environ, out=out, err=err)
    faults = [_misspelt(environ)]
    print_report = partial(
        run_and_print,
        arguments=arguments,
        service="supplier-returns",
        clock=clock,
        out=out,
        err=err,
        english=is_english(environ),
    )
    try:
        settings = load_settings(environ)
    except ConfigError as error:
        faults.append(
            SETTINGS.found(
                "valid",
                "Configuración",
                INVALID.found("; ".join(each.line(english=is_english(environ)) for each in error.problems)),
                INVALID,
                english="The configuration loads. This check appears only if it does not, whatever `--only` "
                "says: nothing else can be checked then.",
            )
        )
        return await print_report(faults, only=())
    try:
        credentials = None
        if arguments.user is not None:
            company = settings.service_layer.company_db
            credentials = credentials_of(arguments, company, ask=input, ask_secret=ask_secret)
    except (OSError, UnicodeDecodeError) as error:
        err.write(f"No se pudo leer la clave: {error}\n")
        return BAD_ARGUMENTS
    try:
        origin = Origin.of(arguments.origin, arguments.origin_ca_file)
    except ValueError as error:
        err.write(f"error: {error}\n")
        return BAD_ARGUMENTS
    # The findings are the output of the doctor, so log lines would only disturb.
    configure_logging(LogSettings(level="CRITICAL"), secrets=secrets_of(settings), stream=err)
    faults.append(_unsafe(find_warnings(settings, environ)))
    async with open_doctor(settings, credentials, clock=clock, origin=origin) as checks:
        return await print_report([*faults, *checks], only=arguments.only)


async def _save_certificate(file: str, environ: Mapping[str, str], *, out: TextIO, err: TextIO) -> int:
    url = read_texts(Settings, environ).get("SL_URL", "")
    return await save_certificates(
        [url] if url else [], file, names="SL_URL", english=is_english(environ), out=out, err=err
    )


@asynccontextmanager
async def open_doctor(
    settings: Settings,
    credentials: Credentials | None,
    *,
    clock: Clock,
    origin: Origin | None = None,
) -> AsyncIterator[tuple[Check, ...]]:
    """Yield all checks. Nothing is read before they run. Leaving logs out of the ERP.

    Args:
        settings: settings of the installation.
        credentials: user of the checks. Without it, checks that need a session are skipped.
        clock: time.
        origin: public address of the service. None omits the check of its certificate.
    """
    service_layer = settings.service_layer
    # A slow login is a finding of its own, so the doctor waits as long as for any call.
    erp = attrs.evolve(erp_settings(service_layer), login_timeout_s=service_layer.timeout_s)
    async with Inspection(patient(erp)) as inspection:
        context = CheckContext(inspection=inspection)
        yield (
            *network_checks(
                service_layer.url,
                authorities=service_layer.ca_file,
                verify=service_layer.reject_unauthorized,
                production=settings.installation.is_production,
                probe=partial(probe_server, inspection),
                clock=clock,
                group=Group("network", "docs/doctor.md#network"),
            ),
            *login_checks(context, credentials, settings.sessions.timeout_minutes),
            *InstalledChecks(context, settings.returns, load_definitions()).checks(),
            *CompanyChecks(
                context,
                settings.tax_documents,
                lambda: clock.now().astimezone(settings.web.timezone).date(),
                tax_may_be_local=settings.tax_may_be_local,
            ).checks(),
            *origin_checks(origin, group=ORIGIN, production=settings.installation.is_production, clock=clock),
        )


def declared() -> tuple[Check, ...]:
    """Return the checks of the group `settings` without findings, for the documentation."""
    return (
        SETTINGS.found(
            "valid",
            "Configuración",
            ok(),
            INVALID,
            english="The configuration loads. This check appears only if it does not, whatever `--only` "
            "says: nothing else can be checked then.",
        ),
        _misspelt({}),
        _unsafe(()),
    )


def _unsafe(warnings: Sequence[Problem]) -> Check:
    names = tuple(each.name for each in warnings if each.name not in _CHECKED_ELSEWHERE)
    finding = UNSAFE.found(", ".join(names), names=len(names)) if names else ok()
    return SETTINGS.found(
        "safe",
        "Configuración segura",
        finding,
        UNSAFE,
        english="No setting is allowed but unsafe. `check-config` names the same ones and says why.",
    )


def _misspelt(environ: Mapping[str, str]) -> Check:
    problems = list(similar_names(Settings, environ, own_prefixes=OWN_PREFIXES))
    names = ", ".join(problem.line(english=is_english(environ)) for problem in problems)
    finding = MISSPELT.found(names, names=len(problems)) if problems else ok()
    return SETTINGS.found(
        "names",
        "Nombres de las variables de entorno",
        finding,
        MISSPELT,
        english="No environment variable looks like a misspelt setting.",
    )
