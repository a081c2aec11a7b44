"""`check-config`: print the effective configuration or all its problems. Opens files, never the network."""

from collections.abc import Iterator, Mapping
from typing import Final, TextIO

from erp_gateway.commands.context import print_lines
from erp_gateway.commands.reports.trial import doubts, report_problems
from erp_gateway.extensions import Declarations, Extension, ExtensionError, load_extensions
from erp_gateway.people.permissions.patterns import EVERYTHING
from erp_gateway.people.permissions.store import load_all
from erp_gateway.reports.html.opening import problems_of
from erp_gateway.settings.erp_database import ErpDatabase
from erp_gateway.settings.html_pdf import HtmlPdf
from erp_gateway.settings.root import OWN_PREFIXES, Settings, effective_settings, load_settings
from erp_gateway.settings.service import Store, Web
from erp_gateway.store.sqlite.examining import find_problem, read_offline
from servicekit.clock import SystemClock
from servicekit.config import (
    ConfigError,
    SettingsTerminal,
    find_warnings,
    half_configured,
    similar_names,
)
from servicekit.config.load import load_part
from servicekit.config.problems import Problem

_FAILED: Final = 1
_BAD_CONFIGURATION: Final = 2


def check_config(environ: Mapping[str, str], *, out: TextIO, err: TextIO) -> int:
    """Print the effective configuration with secrets masked, or its problems; return the exit code, 0 or 2.

    Allowed but unlikely values cause warnings, whatever the exit code.
    """
    terminal = SettingsTerminal(environ, err)
    terminal.warn(similar_names(Settings, environ, own_prefixes=OWN_PREFIXES))
    terminal.warn(_find_doubts(environ))
    faults: list[object] = [*half_configured(Settings, environ)]
    shown: list[tuple[str, str]] = []
    loaded: list[str] = []
    try:
        settings = load_settings(environ)
        shown = effective_settings(settings)
        terminal.warn(find_warnings(settings, environ))
    except ConfigError as error:
        faults += error.problems
    faults += _file_faults(environ)
    faults += _extension_faults(environ, loaded, terminal)
    if faults:
        terminal.show(faults)
        return _BAD_CONFIGURATION
    lines = (*(f"{name}={value}" for name, value in shown), *loaded)
    return 0 if print_lines(lines, out) else _FAILED


def summarize(extension: Extension) -> str:
    """Return the number of declarations, such as `1 resource, 4 queries, 1 report; replaces 1 resource`."""
    replaced = _count_kinds(extension.replaces)
    declared = _count_kinds(extension) or "nothing"
    return f"{declared}; replaces {replaced}" if replaced else declared


def _count_kinds(declared: Declarations) -> str:
    counts = {
        ("resource", "resources"): len(declared.resources),
        ("service action", "service actions"): len(declared.service_actions),
        ("query", "queries"): len(declared.queries),
        ("stored query", "stored queries"): len(declared.stored_queries),
        ("report", "reports"): len(declared.html_reports),
    }
    return ", ".join(
        f"{count} {one if count == 1 else more}" for (one, more), count in counts.items() if count
    )


def _find_doubts(environ: Mapping[str, str]) -> Iterator[Problem]:
    """Yield allowed but unlikely values, of the settings that could be read."""
    web, store = load_part(Web, environ), load_part(Store, environ)
    if web and store and not web.admin_web_users and store.url is None:
        permissions = read_offline(store.path, load_all) or {}
        if not any(EVERYTHING in each.paths for each in permissions.values()):
            yield Problem(
                "ADMIN_WEB_USERS",
                "names nobody, and nobody in the store has *: nobody can administer",
                "no nombra a nadie, y nadie tiene * en el almacén: nadie puede administrar",
            )


def _file_faults(environ: Mapping[str, str]) -> Iterator[Problem]:
    """Yield problems of files, of the settings that could be read."""
    store, html_pdf = load_part(Store, environ), load_part(HtmlPdf, environ)
    unusable = find_problem(store.path) if store is not None and store.url is None else None
    if unusable is not None:
        text, spanish = unusable
        yield Problem(
            "SQLITE_PATH",
            f"{text}; allowed: a file in a folder this process may write to",
            f"{spanish}; se admite: un archivo en una carpeta en la que este proceso puede escribir",
        )
    if html_pdf is not None:
        yield from problems_of(html_pdf)


def _extension_faults(
    environ: Mapping[str, str], loaded: list[str], terminal: SettingsTerminal
) -> Iterator[object]:
    """Yield problems of extensions and their reports, and print warnings.

    Args:
        environ: the settings.
        loaded: receives a line for each extension.
        terminal: receives the warnings.
    """
    web, database = load_part(Web, environ), load_part(ErpDatabase, environ)
    if web is None:
        return
    try:
        registries = load_extensions(web.extensions, engine=None if database is None else database.engine)
    except ExtensionError as error:
        yield error
        return
    loaded += [f"extension {name}: {summarize(each)}" for name, each in registries.extensions.items()]
    yield from report_problems(registries, SystemClock().now().astimezone(web.timezone).date())
    terminal.warn(doubts(registries))
