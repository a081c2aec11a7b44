"""`report preview`: a report as HTML and PDF in a folder, drawn anew when its files change."""

import argparse
import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final, TextIO

from attrs import evolve

from erp_gateway.commands.reports.fixture import Fixture, FixtureError, did_you_mean, read_fixture
from erp_gateway.commands.reports.trial import Trial, TrialFailedError
from erp_gateway.erpdb.service import open_erp_database
from erp_gateway.extensions import ExtensionError, Registries, load_extensions
from erp_gateway.html_reports.printing.printer import guarded
from erp_gateway.html_reports.registry import HtmlReport
from erp_gateway.html_reports.service import create_printer, open_executor
from erp_gateway.settings.root import Settings
from servicekit.child_process import orphans_adopted
from servicekit.clock import SystemClock
from servicekit.errors import ServiceError

_FAILED: Final = 1
_LOOK_EVERY_S: Final = 0.3


class PreviewRefusedError(Exception):
    """The report can't be drawn; the text says why."""


def preview(arguments: argparse.Namespace, settings: Settings, *, out: TextIO, err: TextIO) -> int:
    """Draw the report; return 0, or 1 when something of it fails. With `--watch` it ends with Ctrl-C."""
    try:
        arguments.values = read_arguments(arguments.values)
    except PreviewRefusedError as error:
        err.write(f"error: {error}\n")
        return _FAILED
    before = _times(settings.web.extensions, arguments.fixture)
    code = _draw(arguments, settings, out, err)
    if not arguments.watch:
        return code
    try:
        for _ in _changes(settings.web.extensions, arguments.fixture, before):
            _draw(arguments, settings, out, err)
    except KeyboardInterrupt:
        pass
    return 0


def read_arguments(pairs: Sequence[str]) -> dict[str, object]:
    """Return the values of `NAME=VALUE`: a list where a name stands twice, a range for `NAME=FROM..TO`.

    Raises:
        PreviewRefusedError: a text has no `=`.
    """
    values: dict[str, object] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise PreviewRefusedError(f"{pair!r} is no NAME=VALUE")
        start, dots, end = text.partition("..")
        value: object = {"from": start, "to": end} if dots else text
        before = values.get(name)
        values[name] = (
            value if before is None else [*(before if isinstance(before, list) else [before]), value]
        )
    return values


def _draw(asked: argparse.Namespace, settings: Settings, out: TextIO, err: TextIO) -> int:
    """Load the extensions as they are now, draw, and say what was written or what fails."""
    try:
        _forget(settings.web.extensions)
        registries = load_extensions(settings.web.extensions, engine=settings.database_engine)
        asyncio.run(_write(asked, settings, registries, out))
    except (ExtensionError, FixtureError, TrialFailedError, PreviewRefusedError) as error:
        err.write(f"error: {error}\n")
        return _FAILED
    except ServiceError as error:
        reason = getattr(error, "reason", "")
        err.write(f"error: {error.status} {error.code}: {error.detail}{f' ({reason})' if reason else ''}\n")
        return _FAILED
    finally:
        out.flush()
        err.flush()
    return 0


async def _write(asked: argparse.Namespace, settings: Settings, registries: Registries, out: TextIO) -> None:
    """Write the document, and say so of each file as soon as it is there."""
    reports = registries.html_reports
    report = reports.find(asked.code)
    if report is None:
        known = [each.code for each in reports]
        raise PreviewRefusedError(f"there is no HTML report {asked.code!r}{did_you_mean(asked.code, known)}")
    async with AsyncExitStack() as stack:
        fixture = _fixture_of(report, asked)
        runner = None
        if fixture is None:
            opening = open_erp_database(
                settings.erp_database, registries.queries, SystemClock(), timezone=settings.web.timezone
            )
            runner = (await stack.enter_async_context(opening)).runner
            fixture = Fixture()
        values = {**fixture.values, **asked.values}
        fixture = evolve(fixture, values=values, given=frozenset(asked.values))
        today = SystemClock().now().astimezone(settings.web.timezone).date()
        template = reports.template_of(report)
        trial = Trial(queries=registries.queries, fixture=fixture, runner=runner, today=today)
        html = await trial.document(report, template)
        document = guarded(html)
        executor = stack.enter_context(open_executor())
        stack.enter_context(orphans_adopted())
        asked.out.mkdir(parents=True, exist_ok=True)
        page = asked.out / f"{report.code}.html"
        page.write_text(document, encoding="utf-8", errors="replace")
        out.write(f"{page}\n")
        printer = create_printer(settings.html_pdf, executor)
        if printer is not None:
            pdf = asked.out / f"{report.code}.pdf"
            pdf.write_bytes(await printer.print(document, user=""))
            out.write(f"{pdf}\n")


def _fixture_of(report: HtmlReport, asked: argparse.Namespace) -> Fixture | None:
    """Return what the report is drawn on; None for the database."""
    if asked.live:
        return None
    if asked.fixture is not None:
        return read_fixture(asked.fixture)
    return None if report.fixture is None else read_fixture(report.folder / report.fixture)


def _forget(extensions: Sequence[str]) -> None:
    """Let the next import read the extensions' files again."""
    packages = {module.partition(".")[0] for module in extensions}
    for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
        del sys.modules[name]


def _changes(extensions: Sequence[str], fixture: Path | None, before: dict[Path, int]) -> Iterator[None]:
    """Yield whenever a file beside the extensions' modules is no longer as it was."""
    while True:
        time.sleep(_LOOK_EVERY_S)
        now = _times(extensions, fixture)
        if now != before:
            before = now
            yield


def _times(extensions: Sequence[str], fixture: Path | None) -> dict[Path, int]:
    packages = {module.partition(".")[0] for module in extensions}
    places = [Path(entry or ".") / package for entry in sys.path for package in packages]
    files = [
        file
        for place in places
        if place.is_dir()
        for file in place.rglob("*")
        if "__pycache__" not in file.parts
    ]
    return {file: _changed(file) for file in [*files, *([fixture] if fixture else [])]}


def _changed(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:  # an editor replaces it at this moment
        return 0
