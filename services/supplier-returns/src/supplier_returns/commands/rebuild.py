"""`metadata rebuild`: creates and extends the ERP's tables, fields, object and queries from a terminal.

The password comes from the terminal or a file, never from the command line, which shells store.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping
from getpass import getpass
from pathlib import Path
from typing import Final, TextIO

import attrs

from erpclient import Caller, ErpClient, ErpError
from erpdoctor.conformance.arguments import credentials_of
from servicekit.clock import SystemClock
from servicekit.errors import ServiceError
from servicekit.terminal_language import is_english
from supplier_returns.components import create_rebuild, erp_settings
from supplier_returns.metadata.rebuild import Progress, RebuildResult
from supplier_returns.metadata.service import superuser_needed
from supplier_returns.settings.root import Settings
from supplier_returns.web.error_map import erp_read

_FAILED: Final = 1
_BAD_ARGUMENTS: Final = 2

_TEXTS: Final = {
    "confirm": (
        "Se cambiará la base de datos de {company}; haga antes una copia. Escriba su nombre para continuar: ",
        "This changes the database of {company}; take a backup first. Type its name to continue: ",
    ),
    "other_company": (
        "El nombre no es el de la empresa; no se hizo nada.",
        "The name differs from the company; nothing was changed.",
    ),
    "no_password": ("No se pudo leer la clave: {error}", "The password can't be read: {error}"),
    "would": ("Se crearía o cambiaría: {names}", "Would create or change: {names}"),
    "sums": (
        "{created} creados, {updated} actualizados, {unchanged} sin cambios, {failures} errores",
        "{created} created, {updated} updated, {unchanged} unchanged, {failures} errors",
    ),
    "simulated": ("Solo una simulación: no se cambió nada.", "This was a simulation; nothing was changed."),
    "restart": (
        "El Service Layer todavía no muestra: {names}. Repita en unos minutos; si sigue, reinícielo.",
        "The Service Layer does not show yet: {names}. Repeat in some minutes; if that fails, restart it.",
    ),
}
_OUTCOMES: Final = {
    "creado": "created",
    "actualizado": "updated",
    "simulado": "simulated",
    "existente": "existing",
    "error": "error",
}


def add_metadata_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `metadata`."""
    forms = parser.add_subparsers(dest="form", required=True, metavar="rebuild")
    form = forms.add_parser(
        "rebuild", help="create what is missing in the ERP; never deletes or shrinks anything"
    )
    form.add_argument("--dry-run", action="store_true", help="list the changes without making them")
    form.add_argument("--user", metavar="NAME", help="ERP superuser; without it, you type the name")
    form.add_argument(
        "--password-file",
        type=Path,
        metavar="FILE",
        help="file with that user's password; without it, you type the password",
    )
    form.add_argument(
        "--company",
        metavar="NAME",
        help="name of the configured company database; without it, you type it to confirm",
    )


async def rebuild(
    arguments: argparse.Namespace,
    settings: Settings,
    environ: Mapping[str, str],
    *,
    out: TextIO,
    err: TextIO,
    ask: Callable[[str], str] = input,
    ask_secret: Callable[[str], str] = getpass,
) -> int:
    """Rebuild the metadata, or list the steps.

    Return 0 for success, 1 if something is left, or 2 if nothing was tried.
    """
    english = is_english(environ)
    text = {key: pair[english] for key, pair in _TEXTS.items()}
    company = settings.service_layer.company_db
    if not arguments.dry_run:
        # Typing the name prevents a change of the wrong company's database.
        typed = arguments.company or ask(text["confirm"].format(company=company)).strip()
        if typed != company:
            err.write(f"error: {text['other_company']}\n")
            return _BAD_ARGUMENTS
    try:
        credentials = credentials_of(arguments, company, ask=ask, ask_secret=ask_secret)
    except (OSError, UnicodeDecodeError) as error:
        err.write(f"error: {text['no_password'].format(error=error)}\n")
        return _BAD_ARGUMENTS

    def report(progress: Progress) -> None:
        outcome = _OUTCOMES.get(progress.outcome, progress.outcome) if english else progress.outcome
        err.write(f"[{progress.done}/{progress.total}] {outcome}: {progress.name}\n")
        err.flush()

    service_layer = settings.service_layer
    # A login may take long if the ERP is busy, but here nobody waits for a web page.
    erp = attrs.evolve(erp_settings(service_layer), login_timeout_s=service_layer.timeout_s)
    work = create_rebuild(settings, SystemClock())
    try:
        async with ErpClient(erp, credentials) as client:
            with erp_read(), superuser_needed():
                caller = Caller(credentials.user)
                result = await work.run(client, caller, report, simulate=arguments.dry_run)
    except ServiceError as error:
        err.write(f"error: {error.detail}\n")
        return _BAD_ARGUMENTS
    except ErpError as error:
        err.write(f"error: {error}\n")
        return _BAD_ARGUMENTS
    out.writelines(f"{line}\n" for line in _summary(result, text, simulated=arguments.dry_run))
    return _FAILED if result.failures or result.pending_restart else 0


def _summary(result: RebuildResult, text: Mapping[str, str], *, simulated: bool) -> Iterator[str]:
    for failure in result.failures:
        yield f"error: {failure.name}: {failure.message}"
    if simulated and (planned := [*result.created, *result.updated]):
        yield text["would"].format(names=", ".join(planned))
    yield text["sums"].format(
        created=len(result.created),
        updated=len(result.updated),
        unchanged=result.unchanged,
        failures=len(result.failures),
    )
    if result.pending_restart and not simulated:
        yield text["restart"].format(names=", ".join(result.pending_restart))
    if simulated:
        yield text["simulated"]
