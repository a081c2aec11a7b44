"""`doctor`: check this installation and the systems it talks to, without changing anything."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TextIO

from erp_gateway.doctor.opening import DoctorOptions, open_doctor
from erp_gateway.extensions import ExtensionError, load_extensions
from erp_gateway.settings.root import OWN_PREFIXES, Settings, load_settings
from erpdoctor.checks import Check, Finding, Group, fail, ok, warn
from erpdoctor.command import BAD_ARGUMENTS, run_and_print
from erpdoctor.origin import Origin
from erpdoctor.saved_certificate import save_certificates
from servicekit.clock import Clock
from servicekit.config import (
    ConfigError,
    find_warnings,
    half_configured,
    open_secrets,
    secrets_of,
    similar_names,
)
from servicekit.config.load import read_texts
from servicekit.config.problems import Problem
from servicekit.logs import LogSettings, configure_logging
from servicekit.terminal_language import is_english

SETTINGS: Final = Group("settings", "docs/doctor.md#settings")
INVALID: Final = fail(
    "settings_invalid",
    "La configuración tiene errores; nada más se pudo mirar.",
    english="It has errors. The terminal shows them; `check-config` also names missing files and programs.",
    remedy="Corrija lo nombrado; `erp-gateway check-config` dice además qué archivos y programas faltan.",
    english_remedy="Correct what is named; `erp-gateway check-config` also names missing files and programs.",
    page="docs/configuration.md",
)
HALF: Final = fail(
    "settings_half",
    "Hay valores de un módulo que está apagado: no tienen efecto.",
    english="Some values have no effect because the setting that turns their module on is empty.",
    remedy="Ejecute `erp-gateway check-config` y complete ese módulo, o quite esos valores.",
    english_remedy="Run `erp-gateway check-config` and complete that module, or remove these values.",
    page="docs/configuration.md",
)
MISSPELT: Final = warn(
    "settings_misspelt",
    "Hay variables de entorno que se parecen a una configuración y no lo son.",
    english="One does.",
    remedy="Ejecute `erp-gateway check-config` y corrija esos nombres.",
    english_remedy="Run `erp-gateway check-config` and correct these names.",
    page="docs/configuration.md",
)
READABLE: Final = warn(
    "settings_readable_by_others",
    "Cualquier usuario del sistema puede leer el archivo de configuración, que tiene contraseñas.",
    english="Everybody can. Its group may: that is usually the service's.",
    remedy="Quite ese permiso (chmod o-r; el servicio debe poder leerlo), o use las variables _FILE.",
    english_remedy="Remove that permission (chmod o-r; the service must be able to read it), or use "
    "the _FILE variables.",
    page="docs/configuration.md",
)
UNSAFE: Final = warn(
    "settings_unsafe",
    "Hay configuraciones permitidas que no son seguras.",
    english="Some are: `TRUSTED_PROXIES` covers every address, a value in the file ends at ` #` "
    "because it is not quoted, or the password is the example's.",
    remedy="Ejecute `erp-gateway check-config`, que dice por qué cada una, y corríjalas.",
    english_remedy="Run `erp-gateway check-config`, which says why for each, and correct them.",
    page="docs/configuration.md",
)
EXTENSION: Final = fail(
    "extension_refused",
    "Una extensión de EXTENSIONS no se puede cargar; nada más se pudo mirar.",
    english="One can't be imported, or declares something that can't be served.",
    remedy="Ejecute `erp-gateway check-config` y corrija lo que nombra.",
    english_remedy="Run `erp-gateway check-config` and correct what it names.",
    page="docs/reports-and-queries.md#extensions",
)


# Settings with an address of the ERP. Both of its services usually have self-signed certificates.
_ADDRESSES: Final = ("ERP_SL_URL", "APIGATEWAY_URL")

# Settings that another group's check covers.
_CHECKED_ELSEWHERE: Final = frozenset({"ERP_SL_URL"})


async def run_doctor(
    arguments: argparse.Namespace,
    environ: Mapping[str, str],
    *,
    clock: Clock,
    out: TextIO,
    err: TextIO,
) -> int:
    """Run the checks; print the findings and return the exit code."""
    if arguments.save_certificate is not None:
        configured = read_texts(Settings, environ)
        return await save_certificates(
            [configured[name] for name in _ADDRESSES if configured.get(name)],
            arguments.save_certificate,
            names=_ADDRESSES[0],
            english=is_english(environ),
            out=out,
            err=err,
        )
    faults = list(_setting_checks(environ))
    tell = partial(
        run_and_print,
        arguments=arguments,
        service="erp-gateway",
        clock=clock,
        out=out,
        err=err,
        english=is_english(environ),
    )
    try:
        settings = load_settings(environ)
        registries = load_extensions(settings.web.extensions, engine=settings.database_engine)
    except ConfigError as error:
        lines = (each.line(english=is_english(environ)) for each in error.problems)
        faults.append(_found("valid", INVALID.found("; ".join(lines))))
        return await tell(faults, only=())
    except ExtensionError as error:
        faults.append(_found("extensions", EXTENSION.found(str(error))))
        return await tell(faults, only=())
    configure_logging(LogSettings(level="CRITICAL"), secrets=secrets_of(settings), stream=err)
    try:
        options = _options_of(arguments, settings)
    except ValueError as error:
        err.write(f"error: {error}\n")
        return BAD_ARGUMENTS
    faults.append(_unsafe(find_warnings(settings, environ)))
    async with open_doctor(settings, registries, options, clock=clock) as checks:
        return await tell([*faults, *checks], only=arguments.only)


def _options_of(arguments: argparse.Namespace, settings: Settings) -> DoctorOptions:
    return DoctorOptions(
        backups=arguments.backups or settings.store.backup_folder,
        report=None if arguments.report is None else (arguments.report, arguments.values),
        measure_parallel=arguments.measure_parallel,
        origin=Origin.of(arguments.origin, arguments.origin_ca_file),
    )


def declared() -> tuple[Check, ...]:
    """Return the checks of group `settings` as for a valid configuration, for the documentation."""
    return tuple(_found(name, ok()) for name in _DECLARED)


def _setting_checks(environ: Mapping[str, str]) -> Iterator[Check]:
    half = list(half_configured(Settings, environ))
    names = tuple(problem.name for problem in half)
    yield _found("complete", HALF.found(", ".join(names), names=len(names)) if half else ok())
    unusual = list(similar_names(Settings, environ, own_prefixes=OWN_PREFIXES))
    message = ", ".join(problem.line(english=is_english(environ)) for problem in unusual)
    yield _found("names", MISSPELT.found(message, names=len(unusual)) if unusual else ok())
    readable = open_secrets(Settings, environ)
    yield _found("file", ok() if readable is None else READABLE.found(str(readable)))


_DECLARED: Final = {
    "valid": (
        "Configuración",
        (
            "The configuration loads. This check appears only if it does not, whatever `--only` says: "
            "nothing else can be checked then."
        ),
        INVALID,
    ),
    "complete": (
        "Módulos completos o sin configurar",
        "Modules are configured completely or not at all.",
        HALF,
    ),
    "names": (
        "Nombres de las variables de entorno",
        "No environment variable looks like a misspelt setting.",
        MISSPELT,
    ),
    "file": (
        "Archivo de configuración",
        "The configuration file has no secret, or not everybody on this system can read it.",
        READABLE,
    ),
    "safe": (
        "Configuración segura",
        "No setting is allowed but unsafe. `check-config` names the same ones and says why.",
        UNSAFE,
    ),
    "extensions": (
        "Extensiones",
        "The modules of `EXTENSIONS` load. This check appears only if one does not, whatever `--only` says.",
        EXTENSION,
    ),
}


def _unsafe(warnings: Sequence[Problem]) -> Check:
    names = tuple(each.name for each in warnings if each.name not in _CHECKED_ELSEWHERE)
    return _found("safe", UNSAFE.found(", ".join(names), names=len(names)) if names else ok())


def _found(name: str, finding: Finding) -> Check:
    title, english, cause = _DECLARED[name]
    return SETTINGS.found(name, title, finding, cause, english=english)
