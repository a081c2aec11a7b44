"""`store copy`: from and to by the environment alone, both stopped, counts and head told."""

import argparse
import io
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from postgresql_server import PASSWORD
from store_beside import beside
from store_insides import SQLITE_ONLY

from erp_gateway.commands.context import CommandContext
from erp_gateway.commands.parser import add_commands, run_command
from erp_gateway.store.database import hold_process_lock
from erp_gateway.store.places import PostgresPlace, StorePlace
from servicekit.clock import ManualClock

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(store_place: StorePlace, clock: ManualClock) -> Run:
    def run_it(*words: str, **environ: str) -> tuple[int, str, str]:
        parser = argparse.ArgumentParser(prog="erp-gateway")
        add_commands(parser.add_subparsers(dest="command", required=True))
        out, err = io.StringIO(), io.StringIO()
        context = CommandContext(
            store=store_place, timezone=ZoneInfo("UTC"), clock=clock, out=out, err=err, environ=environ
        )
        code = run_command(parser.parse_args(words), context)
        assert PASSWORD not in out.getvalue() + err.getvalue()
        return code, out.getvalue(), err.getvalue()

    return run_it


def named(place: StorePlace) -> str:
    return place.url.reveal() if isinstance(place, PostgresPlace) else str(place)


def test_a_store_is_copied_to_the_other_engine_with_row_counts(
    run: Run, store_place: StorePlace, other_place: StorePlace, tmp_path: Path
) -> None:
    run("permissions", "grant", "ana", "*")
    file = tmp_path / "to"
    file.write_text(f"{named(other_place)}\n")
    environ = {"STORE_COPY_FROM": named(store_place), "STORE_COPY_TO_FILE": str(file)}
    code, out, err = run("store", "copy", **environ)
    assert (code, err) == (0, "")
    assert out.splitlines()[:4] == [
        "menu_permission: 1",
        "gateway_reports: 0",
        "gateway_report_screens: 0",
        "audit_log: 1",
    ]
    assert out.splitlines()[-1] == run("audit", "verify")[1].splitlines()[-1]
    assert beside(other_place).ask("SELECT web_user FROM menu_permission") == [("ana",)]

    code, out, err = run("store", "copy", **environ)
    assert (code, out) == (1, "")
    assert "the target is not empty" in err


@pytest.mark.parametrize("served", ["source", "target"])
def test_a_store_that_is_served_is_not_copied(
    run: Run, store_place: StorePlace, other_place: StorePlace, served: str
) -> None:
    run("permissions", "grant", "ana", "*")
    environ = {"STORE_COPY_FROM": named(store_place), "STORE_COPY_TO": named(other_place)}
    with hold_process_lock(store_place if served == "source" else other_place):
        code, _, err = run("store", "copy", **environ)
    assert code == 1
    assert "in use by" in err


@SQLITE_ONLY
@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({}, "set STORE_COPY_FROM or STORE_COPY_FROM_FILE"),
        ({"STORE_COPY_FROM": "a", "STORE_COPY_FROM_FILE": "b"}, "set STORE_COPY_FROM or"),
        ({"STORE_COPY_FROM": "a"}, "set STORE_COPY_TO or"),
        ({"STORE_COPY_FROM": "a", "STORE_COPY_TO": "a"}, "name the same store"),
        ({"STORE_COPY_FROM": "nowhere.sqlite", "STORE_COPY_TO": "b"}, "there is no store at nowhere.sqlite"),
        ({"STORE_COPY_FROM": f"mysql://u:{PASSWORD}@h/d", "STORE_COPY_TO": "b"}, "neither a path nor a URL"),
        ({"STORE_COPY_FROM_FILE": "/nowhere/file", "STORE_COPY_TO": "b"}, "can't be read"),
    ],
)
def test_invalid_places_are_refused(run: Run, environ: dict[str, str], told: str) -> None:
    code, out, err = run("store", "copy", **environ)
    assert (code, out) == (1, "")
    assert told in err
