"""XLSX files by the process that writes them."""

import asyncio
import os
import resource
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.exports.errors import ExportFailed, ExportNoRoom
from erp_gateway.files.exports.sinks import WorkbookSink
from erp_gateway.files.exports.spool import Spool
from erp_gateway.files.exports.workbook import FOLDER_PREFIX, make_workbook
from servicekit.working_folders import remove_left_folders

if TYPE_CHECKING:
    from tests.conftest import Sheets

MB = 1024 * 1024


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where temporary files go."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)  # the standard library reads the variable again
    return tmp_path


def held(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def made(spool: Spool, budget: SpoolBudget | None = None) -> bytes:
    try:
        with closing(await make_workbook(spool.rewound(), budget or SpoolBudget(64 * MB))) as file:
            return os.pread(file.fileno(), 64 * MB, 0)
    finally:
        spool.close()


@pytest.mark.asyncio
async def test_several_tables_become_sheets_with_valid_excel_names(
    sheets_of: "Callable[[bytes], Sheets]", folder: Path
) -> None:
    spool = Spool(SpoolBudget(64 * MB))
    sink = WorkbookSink(spool)
    for title in ("Ventas: 2026/03", "ventas  2026 03", "x" * 40, "x" * 40, "'", "History", "acerca de"):
        sink.begin(["n"], title=title)
        sink.add([[1], [2]])
    sink.finish([("Filas", sink.rows)])
    sheets = sheets_of(await made(spool))
    assert list(sheets) == [
        "Ventas  2026 03",
        "ventas  2026 03 (2)",
        "x" * 31,
        "x" * 27 + " (2)",
        "Datos",
        "History (2)",
        "acerca de (2)",
        "Acerca de",
    ]
    assert all(rows == [["n"], [1], [2]] for name, rows in sheets.items() if name != "Acerca de")
    assert sheets["Acerca de"] == [["Filas", 14]]
    assert held(folder) == []


@pytest.mark.asyncio
async def test_an_overlong_cell_is_cut_and_listed(sheets_of: "Callable[[bytes], Sheets]") -> None:
    spool = Spool(SpoolBudget(64 * MB))
    sink = WorkbookSink(spool)
    sink.begin(["a", "b"])
    sink.add([["x" * 32_767, "x" * 32_768], ["\U0001f600" * 16_384, ""]])
    sink.finish([])
    sheets = sheets_of(await made(spool))
    assert sheets["Datos"][1:] == [["x" * 32_767] * 2, ["\U0001f600" * 16_383, ""]]
    assert sheets["Acerca de"] == [
        ["Celdas recortadas a 32767 caracteres", 2],
        ["Dónde", "Datos!B2, Datos!A3"],
    ]


@pytest.mark.asyncio
async def test_a_workbook_over_the_limit_is_refused_and_removed(folder: Path) -> None:
    spool = Spool(SpoolBudget(64 * MB))
    sink = WorkbookSink(spool)
    sink.begin(["a"])
    for _ in range(20):
        sink.add([["x" * 100] for _ in range(1000)])
    sink.finish([])
    with pytest.raises(ExportNoRoom):
        await made(spool, SpoolBudget(MB))
    assert held(folder) == []


@pytest.mark.asyncio
async def test_all_files_of_a_workbook_count_and_their_room_is_free_again(folder: Path) -> None:
    """Rows and what is made of them are more than all may hold, long enough for a busy machine to see."""
    spool = written(120_000)
    budget = SpoolBudget(10 * MB)
    with pytest.raises(ExportNoRoom):
        await made(spool, budget)
    assert (held(folder), budget.held) == ([], 0)


@pytest.mark.asyncio
async def test_a_finished_workbook_counts_its_size_until_closed() -> None:
    budget = SpoolBudget(64 * MB)
    spool = written(1000)
    with closing(await make_workbook(spool.rewound(), budget)) as file:
        assert budget.held == os.fstat(file.fileno()).st_size > 0
    assert budget.held == 0
    spool.close()


def written(rows: int) -> Spool:
    spool = Spool(SpoolBudget(64 * MB))
    sink = WorkbookSink(spool)
    sink.begin(["a"])
    sink.add([["x" * 100]] * rows)
    sink.finish([])
    return spool


@pytest.mark.asyncio
async def test_lines_without_an_end_make_no_file(folder: Path) -> None:
    spool = Spool(SpoolBudget(MB))
    WorkbookSink(spool).begin(["a"])
    with pytest.raises(ExportFailed):
        await made(spool)
    assert held(folder) == []


@pytest.mark.asyncio
async def test_a_cancelled_export_ends_its_process_and_leaves_no_file(folder: Path) -> None:
    read, write = os.pipe()  # an input that does not end
    try:
        making = asyncio.ensure_future(make_workbook(read, SpoolBudget(MB)))
        while not held(folder):  # noqa: ASYNC110 - nothing tells when a folder is made
            await asyncio.sleep(0.01)
        making.cancel()
        with pytest.raises(asyncio.CancelledError):
            await making
    finally:
        os.close(read)
        os.close(write)
    assert held(folder) == []


@pytest.mark.asyncio
@pytest.mark.parametrize("descriptors", range(4))
async def test_a_system_without_free_descriptors_is_reported_and_leaves_no_file(
    folder: Path, descriptors: int
) -> None:
    budget = SpoolBudget(MB)
    spool = written(1)
    lines = spool.rewound()
    with only(descriptors), pytest.raises(ExportNoRoom):
        await make_workbook(lines, budget)
    spool.close()
    assert (held(folder), budget.held) == ([], 0)


@contextmanager
def only(descriptors: int) -> Iterator[None]:
    """Let this process open so many more files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(descriptors)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        with suppress(OSError):
            while True:
                opened.append(os.open(os.devnull, os.O_RDONLY))
        for _ in range(descriptors):
            os.close(opened.pop(0))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for each in opened:
            os.close(each)


@pytest.mark.asyncio
async def test_folders_of_killed_services_are_removed_and_used_ones_stay(folder: Path) -> None:
    left, other = folder / f"erp-gateway-export-{os.getpid()}-abc", folder / "another"
    for each in (left, other):
        each.mkdir()
        (each / "file").write_text("x")
    read, write = os.pipe()  # an input that does not end
    try:
        making = asyncio.ensure_future(make_workbook(read, SpoolBudget(MB)))
        while len(held(folder)) == 2:  # noqa: ASYNC110 - nothing tells when a folder is made
            await asyncio.sleep(0.01)
        used = set(held(folder)) - {left}
        remove_left_folders(folder, FOLDER_PREFIX)
        assert set(held(folder)) == used
        making.cancel()
        with pytest.raises(asyncio.CancelledError):
            await making
    finally:
        os.close(read)
        os.close(write)
    assert held(folder) == [other]


@pytest.mark.asyncio
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only Linux tells it")
async def test_the_workbook_process_inherits_no_service_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERP_PLANTED", "planted-password")
    spool = Spool(SpoolBudget(64 * MB))
    sink = WorkbookSink(spool)
    sink.begin(["n"])
    sink.add([[number] for number in range(20_000)])
    sink.finish([])
    making, result = asyncio.create_task(made(spool)), ""
    while not making.done():
        result = result or environment_of_the_child("workbook_process")
        await asyncio.sleep(0.005)
    await making
    assert "LANG=" in result
    assert "planted" not in result.lower()


def environment_of_the_child(program: str) -> str:
    """Return the environment of this process's child that runs a module; empty while there is none."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
            if parent == str(os.getpid()) and program in (process / "cmdline").read_text():
                return (process / "environ").read_text()
    return ""
