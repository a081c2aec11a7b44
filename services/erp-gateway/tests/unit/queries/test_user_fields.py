"""Definitions of user-defined fields, and their naming traps."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from erp_gateway.queries.client import DatabaseClient
from erp_gateway.queries.errors import DatabaseFailed, UserFieldNotFound
from erp_gateway.queries.user_field_cache import MOST_ROWS, UserFieldCache
from erp_gateway.queries.user_fields import LinkedRow, LinkedTable, UserField, UserFieldSource, ValidValue
from servicekit.cache import MAX_ENTRIES
from servicekit.clock import ManualClock
from servicekit.errors import InvalidPath
from servicekit.testing.remains import uncollected

if TYPE_CHECKING:
    from tests.unit.queries.conftest import Execute

FIELDS = """
INSERT INTO "CUFD" VALUES
  ('OITM', 0, 'TEMPORADA', 'Temporada', 'A', '', 30, 20, NULL),
  ('OITM', 1, 'Hora', 'Hora', 'D', 'T', 4, 0, ''),
  ('OITM', 2, 'U_RARO', 'Con prefijo propio', 'N', NULL, 11, 11, NULL),
  ('OITM', 3, 'RARO', 'Sin prefijo', 'B', 'S', 16, 0, NULL),
  ('OINV', 0, 'CANAL', 'Canal', 'A', NULL, 10, 10, 'CANALES'),
  ('INV1', 0, 'NOTA', 'Nota', 'M', NULL, 0, 0, NULL),
  ('ORDR', 4, 'PROPIO', 'Propio', 'D', '-', 8, 8, '@PLANES'),
  ('@LIB_ODEV', 0, 'ESTADO', 'Estado', 'A', NULL, 1, 1, 'NADA'),
  ('@LIB_ODEV', 1, 'MALO', 'Malo', 'A', NULL, 1, 1, 'X" UNION SELECT 1'),
  ('@LIB_ODEV', 2, 'TABLA', 'Tabla del sistema', 'A', NULL, 1, 1, 'OUSR'),
  ('@LIB_ODEV', 3, 'DOC', 'Documento', 'A', NULL, 1, 1, 'DOCS');
INSERT INTO "UFD1" VALUES
  ('@LIB_ODEV', 0, 1, 'C', 'Cerrada'), ('@LIB_ODEV', 0, 0, 'A', 'Abierta'), ('OITM', 0, 0, 'V', NULL);
INSERT INTO "OUTB" VALUES ('CANALES'), ('Planes'), ('DOCS'), ('X" UNION SELECT 1');
CREATE TABLE "@CANALES" ("Code" TEXT, "Name" TEXT);
INSERT INTO "@CANALES" VALUES ('WEB', 'Tienda'), ('TEL', NULL);
CREATE TABLE "@Planes" ("Code" TEXT, "Name" TEXT);
CREATE TABLE "@DOCS" ("DocEntry" INTEGER);
CREATE TABLE "@OUSR" ("Code" TEXT, "Name" TEXT);
"""


@pytest.fixture
def source(client: DatabaseClient, execute: "Execute") -> UserFieldSource:
    execute(FIELDS)
    return UserFieldSource(client)


@pytest.mark.asyncio
async def test_a_field_has_its_description_type_size_and_values(source: UserFieldSource) -> None:
    assert await source.read("OITM", "TEMPORADA") == UserField(
        table="OITM",
        alias="TEMPORADA",
        description="Temporada",
        type="text",
        size=20,
        valid_values=(ValidValue(value="V", description=""),),
        linked_table=None,
    )


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("table", "alias", "found"),
    [
        ("OITM", "U_TEMPORADA", ("OITM", "TEMPORADA", "text", 20)),
        ("oitm", "temporada", ("OITM", "TEMPORADA", "text", 20)),
        ("OITM", "HORA", ("OITM", "Hora", "time", 4)),
        ("OITM", "U_RARO", ("OITM", "U_RARO", "integer", 11)),
        ("OITM", "RARO", ("OITM", "RARO", "decimal", 16)),
        ("OITM", "U_U_RARO", ("OITM", "U_RARO", "integer", 11)),
        ("LIB_ODEV", "ESTADO", ("LIB_ODEV", "ESTADO", "text", 1)),
        ("lib_odev", "U_estado", ("LIB_ODEV", "ESTADO", "text", 1)),
        ("ORDR", "CANAL", ("ORDR", "CANAL", "text", 10)),
        ("OINV", "CANAL", ("OINV", "CANAL", "text", 10)),
        ("ORDR", "PROPIO", ("ORDR", "PROPIO", "date", 8)),
        ("RDR1", "NOTA", ("RDR1", "NOTA", "memo", 0)),
    ],
)
async def test_a_field_is_found_under_every_usual_spelling(
    source: UserFieldSource, table: str, alias: str, found: tuple[object, ...]
) -> None:
    field = await source.read(table, alias)
    assert (field.table, field.alias, field.type, field.size) == found


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("table", "alias"),
    [("OITM", "NADA"), ("NADA", "TEMPORADA"), ("OCRD", "CANAL"), ("ORDR", "NOTA"), ("U_", "U_")],
)
async def test_any_other_field_is_unknown(source: UserFieldSource, table: str, alias: str) -> None:
    with pytest.raises(UserFieldNotFound):
        await source.read(table, alias)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["", "@LIB_ODEV", "A B", "A-B", 'A"', "A;B", "Ñ", "A.B", "x" * 51, "A\n"])
async def test_names_are_letters_digits_and_underscores(source: UserFieldSource, name: str) -> None:
    with pytest.raises(InvalidPath) as refused:
        await source.read(name, name)
    assert [problem.path for problem in refused.value.errors] == ["table", "alias"]


@pytest.mark.asyncio
async def test_valid_values_come_in_the_order_of_the_erp(source: UserFieldSource) -> None:
    field = await source.read("LIB_ODEV", "ESTADO")
    assert field.valid_values == (
        ValidValue(value="A", description="Abierta"),
        ValidValue(value="C", description="Cerrada"),
    )


@pytest.mark.asyncio
async def test_the_linked_table_is_read_whichever_way_its_name_is_stored(source: UserFieldSource) -> None:
    assert (await source.read("ORDR", "CANAL")).linked_table == LinkedTable(
        table="CANALES",
        rows=(LinkedRow(code="TEL", name=""), LinkedRow(code="WEB", name="Tienda")),
        truncated=False,
    )
    assert (await source.read("ORDR", "PROPIO")).linked_table == LinkedTable(
        table="Planes", rows=(), truncated=False
    )


@pytest.mark.asyncio
async def test_a_linked_table_is_cut_at_the_configured_rows(
    source: UserFieldSource, execute: "Execute"
) -> None:
    execute("INSERT INTO \"@CANALES\" SELECT 'N' || n, label FROM numbers")
    linked = (await source.read("ORDR", "CANAL")).linked_table
    assert linked is not None
    assert (len(linked.rows), linked.truncated) == (500, True)


@pytest.mark.asyncio
@pytest.mark.parametrize("alias", ["ESTADO", "MALO", "TABLA"])
async def test_only_a_registered_user_table_of_a_plain_name_is_read(
    source: UserFieldSource, alias: str
) -> None:
    assert (await source.read("LIB_ODEV", alias)).linked_table is None


@pytest.mark.asyncio
async def test_a_linked_table_without_code_and_name_has_no_rows(source: UserFieldSource) -> None:
    linked = (await source.read("LIB_ODEV", "DOC")).linked_table
    assert linked == LinkedTable(table="DOCS", rows=(), truncated=False)


LINKED = """
INSERT INTO "CUFD" VALUES
  ('OITM', 20, 'L0', '', 'A', NULL, 1, 1, 'NOTHING'), ('OITM', 21, 'L1', '', 'A', NULL, 1, 1, 'CODEONLY'),
  ('OITM', 22, 'L2', '', 'A', NULL, 1, 1, 'NAMEONLY'), ('OITM', 23, 'L3', '', 'A', NULL, 1, 1, 'CASES'),
  ('OITM', 24, 'L4', '', 'A', NULL, 1, 1, 'NULLS'), ('OITM', 25, 'L5', '', 'A', NULL, 1, 1, 'GONE'),
  ('OITM', 26, 'L6', '', 'A', NULL, 1, 1, 'numbers');
INSERT INTO "OUTB" VALUES
  ('NOTHING'), ('CODEONLY'), ('NAMEONLY'), ('CASES'), ('NULLS'), ('GONE'), ('NUMBERS'), ('numbers');
CREATE TABLE "@NOTHING" ("DocEntry" INTEGER);
INSERT INTO "@NOTHING" VALUES (1), (2);
CREATE TABLE "@CODEONLY" ("Code" TEXT);
INSERT INTO "@CODEONLY" VALUES ('A');
CREATE TABLE "@NAMEONLY" ("Name" TEXT);
INSERT INTO "@NAMEONLY" VALUES ('Uno');
CREATE TABLE "@CASES" ("CODE" TEXT, "name" TEXT);
INSERT INTO "@CASES" VALUES ('B', 'Dos'), ('A', 'Uno');
CREATE TABLE "@NULLS" ("Code" TEXT, "Name" TEXT);
INSERT INTO "@NULLS" VALUES (NULL, 'Nada'), ('', 'Vacío'), ('A', NULL);
CREATE TABLE "@numbers" ("Code" INTEGER, "Name" TEXT);
INSERT INTO "@numbers" VALUES (10, 'Diez'), (9, 'Nueve');
"""


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("alias", "linked"),
    [
        ("L0", ("NOTHING", [])),
        ("L1", ("CODEONLY", [])),
        ("L2", ("NAMEONLY", [])),
        ("L3", ("CASES", [("A", "Uno"), ("B", "Dos")])),
        ("L4", ("NULLS", [("", "Vacío"), ("A", "")])),
        ("L5", None),
        ("L6", ("numbers", [("9", "Nueve"), ("10", "Diez")])),
    ],
)
async def test_a_linked_table_is_read_as_far_as_it_has_code_and_name(
    source: UserFieldSource,
    execute: "Execute",
    alias: str,
    linked: tuple[str, list[tuple[str, str]]] | None,
) -> None:
    execute(LINKED)
    found = (await source.read("OITM", alias)).linked_table
    assert (found and (found.table, [(row.code, row.name) for row in found.rows])) == linked


@pytest.mark.asyncio
@pytest.mark.parametrize("column", ["RTable", "EditSize", "TypeID"])
async def test_a_company_whose_tables_lack_a_column_is_a_fault_of_the_database(
    source: UserFieldSource, execute: "Execute", column: str
) -> None:
    execute(f'ALTER TABLE "CUFD" DROP COLUMN "{column}"')
    with pytest.raises(DatabaseFailed):
        await source.read("OITM", "TEMPORADA")


class CountingSource:
    """Answers any field, and counts; `fails` makes it refuse, `gate` makes it wait."""

    def __init__(self, rows: int = 0) -> None:
        self.reads: list[tuple[str, str]] = []
        self.linked = LinkedTable(table="X", rows=(LinkedRow(code="1", name=""),) * rows, truncated=False)
        self.fails = False
        self.gate = asyncio.Event()
        self.gate.set()

    async def read(self, table: str, alias: str) -> UserField:
        self.reads.append((table, alias))
        await self.gate.wait()
        if self.fails:
            raise DatabaseFailed
        return UserField(
            table=table,
            alias=alias,
            description="",
            type="text",
            size=1,
            valid_values=(ValidValue(value="1", description=""),),
            linked_table=self.linked if self.linked.rows else None,
        )


@pytest.mark.asyncio
async def test_a_definition_is_read_again_after_ten_minutes_and_not_before(clock: ManualClock) -> None:
    source = CountingSource()
    cache = UserFieldCache(source.read, clock)
    await cache.find("A", "B")
    clock.advance(599)
    await cache.find("A", "B")
    assert len(source.reads) == 1
    clock.advance(1)
    await cache.find("A", "B")
    await cache.find("A", "C")
    assert source.reads == [("A", "B"), ("A", "B"), ("A", "C")]


@pytest.mark.asyncio
async def test_concurrent_requests_share_one_read_despite_disconnects(clock: ManualClock) -> None:
    source = CountingSource()
    source.gate.clear()
    cache = UserFieldCache(source.read, clock)
    tasks = [asyncio.create_task(cache.find("A", "B")) for _ in range(5)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    await asyncio.sleep(0)
    source.gate.set()
    assert {(await task).alias for task in tasks[1:]} == {"B"}
    assert len(source.reads) == 1


@pytest.mark.asyncio
async def test_a_failure_is_not_remembered(clock: ManualClock) -> None:
    source = CountingSource()
    source.fails = True
    cache = UserFieldCache(source.read, clock)
    with pytest.raises(DatabaseFailed):
        await cache.find("A", "B")
    source.fails = False
    assert (await cache.find("A", "B")).alias == "B"


@pytest.mark.asyncio
async def test_the_cache_is_bounded_and_forgets_the_oldest(clock: ManualClock) -> None:
    source = CountingSource()
    cache = UserFieldCache(source.read, clock)
    for number in range(MAX_ENTRIES + 1):
        await cache.find("A", f"B{number}")
    await cache.find("A", f"B{MAX_ENTRIES}")
    assert len(source.reads) == MAX_ENTRIES + 1
    await cache.find("A", "B0")
    assert len(source.reads) == MAX_ENTRIES + 2


@pytest.mark.asyncio
async def test_linked_rows_are_bounded_in_total_for_any_spellings(clock: ManualClock) -> None:
    source = CountingSource(rows=MOST_ROWS // 4)
    cache = UserFieldCache(source.read, clock)
    spellings = [("ORDR", "plan"), ("ORDR", "Plan"), ("ordr", "PLAN"), ("Ordr", "PLAN"), ("Ordr", "pLAN")]
    for requested in spellings:
        await cache.find(*requested)
    await asyncio.sleep(0)
    for requested in spellings[2:]:
        await cache.find(*requested)
    assert len(source.reads) == 5
    await cache.find(*spellings[1])
    assert len(source.reads) == 6


@pytest.mark.asyncio
async def test_a_definition_larger_than_the_cache_is_still_cached(clock: ManualClock) -> None:
    source = CountingSource(rows=2 * MOST_ROWS)
    cache = UserFieldCache(source.read, clock)
    for _ in range(2):
        await cache.find("A", "B")
        await asyncio.sleep(0)
    assert len(source.reads) == 1
    source.linked = LinkedTable(table="X", rows=(), truncated=False)
    await cache.find("A", "C")
    await asyncio.sleep(0)
    await cache.find("A", "B")
    assert len(source.reads) == 3


@pytest.mark.asyncio
async def test_closing_cancels_running_reads(clock: ManualClock) -> None:
    source = CountingSource()
    source.gate.clear()
    cache = UserFieldCache(source.read, clock)
    asking = asyncio.create_task(cache.find("A", "B"))
    await asyncio.sleep(0)
    await cache.aclose()
    outcome = await asyncio.gather(asking, return_exceptions=True)
    assert isinstance(outcome[0], asyncio.CancelledError)


@pytest.mark.asyncio
async def test_a_failed_read_leaves_no_objects(clock: ManualClock) -> None:
    source = CountingSource()
    source.fails = True
    cache = UserFieldCache(source.read, clock)
    with uncollected(DatabaseFailed) as remains:
        for _ in range(3):
            with suppress(DatabaseFailed):
                await cache.find("A", "B")
        assert await remains.names() == []
