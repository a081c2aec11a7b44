"""What holds for all packages' tests: how slow a machine may be, whose logs are whose, what is measured."""

import gc
import logging
import os
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import coverage
import pytest
import structlog
from hypothesis import HealthCheck, Phase, settings

from servicekit.server.process import SWITCH_S

settings.register_profile("project", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "mutants",  # that they fail is enough: of a failing example nobody wants the smallest
    settings.get_profile("project"),
    phases=[Phase.explicit, Phase.generate],
    derandomize=True,
    database=None,
)
settings.load_profile("mutants" if "MUTANT_UNDER_TEST" in os.environ else "project")

# jsonschema makes 38 grammars when it finds this, for checks that nobody here asks for: 2 s of each process
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

# Each client of the ERP, and each process, would read the system's 140 authorities. This one signs nothing.
os.environ["SSL_CERT_FILE"] = str(Path(__file__).with_name("tools") / "authority.pem")

DEAR_ROOMS = frozenset({"process", "crash", "doctor", "hana", "printing"})
"""Folders of a service's tests that start processes of their own, wait for what is broken, or print."""

PLAIN = [
    *structlog.get_config()["processors"][:-1],
    structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
]
"""What writes the log where a test asks for none: with rich's frames one traceback takes up to 25 s."""

MEASURED_WHOLE = frozenset({"erpclient", "erpdoctor"})
"""Packages whose floors ask for nearly all, so that their dear tests are measured, too."""

UNMEASURED = pytest.StashKey[bool]()
"""Kept with dear tests of the others and with the store's second engine: what they cover, others cover."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what starts whole processes, or runs on the store's second engine, as no part of every change."""
    for item in items:
        parts = item.path.parts
        engine = getattr(item, "callspec", None) and item.callspec.params.get("store_engine")  # type: ignore[attr-defined]
        second = engine == "postgresql" or "postgresql" in parts
        if second or ("services" in parts and DEAR_ROOMS & set(parts)):
            item.add_marker(pytest.mark.check)
        dear = item.get_closest_marker("check") is not None
        if second or (dear and not MEASURED_WHOLE & set(parts)):
            item.stash[UNMEASURED] = True


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Search for no garbage while tests are collected, and not among them later: a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let threads take turns as in a service, and what tests start end at Ctrl-C, which `&` takes away."""
    sys.setswitchinterval(SWITCH_S)
    structlog.configure(processors=PLAIN)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not hasattr(config, "workerinput"):  # of xdist: a worker's go to the first
        config.pluginmanager.register(_FailuresAtOnce(terminal))


class _FailuresAtOnce:
    """Names a test as soon as it failed: what it printed comes at the end, a quarter of an hour later.

    Where `tools.run_tests` runs all packages it also writes the names to a file, for the end of the run.
    """

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._keep(report)
            self._terminal.write_line(f"\nfailed: {report.nodeid} ({report.when})")

    @pytest.hookimpl(trylast=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._keep(report)

    def _keep(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if (name := os.environ.get("FAILED_TESTS_FILE")) is not None:
            with Path(name).open("a", encoding="utf-8") as file:
                file.write(f"{report.nodeid}\n")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Write what was measured: a worker that takes 10 s to end is killed, and all of it was lost."""
    if (measured := coverage.Coverage.current()) is not None:
        measured.save()


@pytest.fixture(autouse=True)
def _collector_awake() -> Iterator[None]:
    """Let garbage be collected in each test: a service that an earlier one started in process rests that."""
    gc.enable()
    yield
    gc.enable()


@pytest.fixture(autouse=True)
def _logs_as_they_were() -> Iterator[None]:
    """Undo what a test, or a command run in process, made of the logs: its level would silence others."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    if structlog.get_config()["processors"] is not PLAIN:
        structlog.reset_defaults()
        structlog.configure(processors=PLAIN)
        logging.captureWarnings(capture=False)
        root.setLevel(level)
        root.handlers = handlers


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Leave dear tests and all they start out of the coverage: floors hold without, and they cost half."""
    if UNMEASURED not in item.stash:
        return (yield)
    with pytest.MonkeyPatch.context() as patched, _unmeasured():
        patched.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Leave out of the coverage what made-up examples reach: a floor must not hang on which ones came up.

    Each branch has a fixed example, so nothing is lost; and measuring them makes them half as slow again.
    """
    if item.get_closest_marker("hypothesis") is None:
        return (yield)
    with _unmeasured():
        return (yield)


@contextmanager
def _unmeasured() -> Iterator[None]:
    if (measured := coverage.Coverage.current()) is None:
        yield
        return
    measured.stop()
    try:
        yield
    finally:
        measured.start()
