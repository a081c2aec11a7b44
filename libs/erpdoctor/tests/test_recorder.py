"""A record of an ERP: nothing of its company in it, and a simulated ERP made like it has the same record."""

import asyncio
import contextlib
import io
import json
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from erpclient import Credentials, ErpSettings
from erpdoctor.conformance.command import Suite
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.session import ProbeSession
from erpdoctor.conformance.shared import SHARED_QUESTIONS
from erpdoctor.recording.recorder import PAGE_ROWS, record, record_into, write_record
from erpsim.company.exchange import Caller, Dialect
from erpsim.company.switches import Switches
from erpsim.faults import Answer, Fault
from erpsim.process.likeness import imitate
from erpsim.process.options import switch_reader
from erpsim.process.settings import read_settings
from erpsim.simulator import Listening, Simulator, open_company, run_sim

pytestmark = pytest.mark.check

SETS = ["Orders", "Items", "BusinessPartners", "Warehouses", "EmployeesInfo", "PurchaseReturns", "Nothing"]
MANAGER = Caller(user="manager", dialect=Dialect.V1)
CREDENTIALS = Credentials("SBO_DEMO", "manager", "erpsim")


def turned(**texts: str) -> Switches:
    return attrs.evolve(Switches(), **{name: switch_reader(name)(text) for name, text in texts.items()})


async def record_of(sim: Simulator, credentials: Credentials = CREDENTIALS) -> dict[str, Any]:
    settings = ErpSettings(sim.url, timeout_s=20.0, slow_call_s=1e9)
    async with ProbeSession(settings, credentials) as line:
        return await record(Fixture(line), questions=SHARED_QUESTIONS, entity_sets=SETS)


@contextlib.asynccontextmanager
async def made_like(file: Path, *words: str) -> AsyncIterator[tuple[Simulator, list[str]]]:
    """Run a simulator as `erpsim serve --like FILE` does; tell what it can't imitate."""
    settings = read_settings(["--like", str(file), "--seed", "small", "--penalty", "0", *words], {})
    assert settings.like is not None
    company = open_company(switches=settings.switches, seed=settings.seed, user_fields=False)
    unlike = list(imitate(company.world, settings.like))
    async with Simulator(company, Listening()) as sim:
        yield sim, unlike


def define(sim: Simulator) -> None:
    """Give a company what a customer would have: a table, fields of every type, an object."""
    world = sim.world
    for name, kind in (
        ("ACOPIO", "bott_Document"),
        ("ACOPIO1", "bott_DocumentLines"),
        ("ZONAS", "bott_NoObject"),
    ):
        body = {"TableName": name, "TableDescription": "canary description", "TableType": kind}
        world.create("UserTablesMD", body, MANAGER)
    for table, name, kind, sub_type, size in (
        ("@ACOPIO", "Zona", "db_Alpha", "st_None", 12),
        ("@ACOPIO1", "Kilos", "db_Float", "st_Quantity", None),
        ("@ZONAS", "Desde", "db_Date", "st_None", None),
        ("ORDR", "Ruta", "db_Numeric", "st_None", 6),
        ("OITM", "Nota", "db_Memo", "st_None", None),
    ):
        body = {
            "TableName": table,
            "Name": name,
            "Type": kind,
            "SubType": sub_type,
            "Description": "canary text",
        }
        world.create(
            "UserFieldsMD", body if size is None else body | {"Size": size, "EditSize": size}, MANAGER
        )
    children = [{"TableName": "ACOPIO1", "ObjectName": "ACOPIO1"}]
    body = {"Code": "ACOPIO", "Name": "canary object", "TableName": "ACOPIO", "ObjectType": "boud_Document"}
    world.create("UserObjectsMD", body | {"CanClose": "tYES", "UserObjectMD_ChildTables": children}, MANAGER)


@pytest.mark.asyncio
async def test_an_erp_made_like_a_recorded_one_gives_the_same_record(tmp_path: Path) -> None:
    switches = turned(
        other_habits="no-ping,no-next-link,count-of-the-page",
        entity_tags="false",
        date_format="plain",
        encoded_slash="false",
        secure_cookies="true",
        version="1000180",
        idle_timeout_s="600",
        forbidden_sets="PurchaseReturns,EmployeesInfo",
        login_delay_s="0.6",
    )
    async with run_sim(switches=switches, seed="small") as sim:
        define(sim)
        first = await record_of(sim)
    write_record(tmp_path / "record", first)
    async with made_like(tmp_path / "record") as (sim, unlike):
        again = await record_of(sim)
        assert sim.world.switches.login_delay_s == 0.5
    assert again == first
    assert unlike[0] == "the entity set Nothing, which answers 400/200"
    assert {each.partition(": ")[2] for each in unlike[1:]} == {"there are as many, with other names"}
    assert {name: first["switches"][name] for name in ("entity_tags", "other_habits", "forbidden_sets")} == {
        "entity_tags": "false",
        "other_habits": "count-of-the-page,no-next-link,no-ping",
        "forbidden_sets": "EmployeesInfo,PurchaseReturns",
    }


@pytest.mark.asyncio
async def test_a_healthy_erp_turns_no_habit_and_a_named_switch_wins(tmp_path: Path) -> None:
    async with run_sim(seed="small") as sim:
        write_record(tmp_path / "record", await record_of(sim))
    told = json.loads((tmp_path / "record").read_text())
    assert set(told["switches"]) == {"version", "idle_timeout_s", "login_delay_s", "call_delay_s"}
    async with made_like(tmp_path / "record", "--switch", "version=1000111") as (sim, _):
        assert sim.world.switches.version == "1000111"


@pytest.mark.asyncio
async def test_fields_that_the_recorded_company_lacks_are_taken_away(tmp_path: Path) -> None:
    async with run_sim(seed="small") as sim:
        whole = await record_of(sim)
    bare = whole | {"userFields": [each for each in whole["userFields"] if each["name"] != "WEB_USER"]}
    write_record(tmp_path / "record", bare)
    async with made_like(tmp_path / "record") as (sim, _):
        assert (await record_of(sim))["userFields"] == bare["userFields"]


@pytest.mark.asyncio
async def test_an_answer_that_no_switch_stands_for_is_said_to_be_unlike(tmp_path: Path) -> None:
    async with run_sim(seed="small") as sim:
        sim.faults.add(
            Fault(
                action=Answer(status=200, body="{}", content_type="application/json"), path="Items", times=1
            )
        )
        told = await record_of(sim)
    assert "the answer to rows-stand-in-value" in told["notImitated"]


CANARIES = ("canary", "kanarie", "SBO_KANARIE", "127.0.0.1", "localhost", "erpsim", "ana-demo")


def plant(sim: Simulator) -> None:
    """Put names of a customer into every text of every record."""
    world = sim.world
    define(sim)
    values = [{"Value": "KANARIEVAL", "Description": "canary value"}]
    body = {"TableName": "OCRD", "Name": "Tipo", "Type": "db_Alpha", "SubType": "st_None", "Size": 20}
    world.create("UserFieldsMD", {**body, "Description": "canary", "ValidValuesMD": values}, MANAGER)
    for set_name in ("Orders", "Items", "BusinessPartners", "Warehouses", "EmployeesInfo", "PurchaseReturns"):
        for row in list(world.company.rows(set_name)):
            key = set(world.company.entity_set(set_name).type.key)
            texts = {
                name: f"canary {value}"
                for name, value in row.items()
                if isinstance(value, str) and name not in key and world_text(world, set_name, name)
            }
            if texts:
                with world.transaction():
                    world.company.update(set_name, {**row, **texts})


def world_text(world: Any, set_name: str, name: str) -> bool:
    known = world.company.entity_set(set_name).type.properties.get(name)
    return known is not None and known.type_name == "Edm.String"


@pytest.mark.asyncio
async def test_no_datum_of_a_customer_stands_in_a_record(tmp_path: Path) -> None:
    switches = Switches(company="SBO_KANARIE", company_name="Kanarie SpA")
    async with run_sim(switches=switches, seed="small") as sim:
        plant(sim)
        told = await record_of(sim, Credentials("SBO_KANARIE", "manager", "erpsim"))
        planted = sum(1 for row in sim.world.company.rows("Items") if "canary" in str(row.get("ItemName")))
        codes = {str(row["ItemCode"]) for row in sim.world.company.rows("Items")}
        codes |= {str(row["CardCode"]) for row in sim.world.company.rows("BusinessPartners")}
    write_record(tmp_path / "record", told)
    text = (tmp_path / "record").read_text().lower()
    assert planted > 0
    assert told["userTables"], "the look was blind"
    assert told["entitySets"]["Items"]["properties"]["ItemName"] == "Edm.String"
    for canary in (*CANARIES, *codes, str(sim.port)):
        assert f'"{canary.lower()}' not in text, canary
    for canary in CANARIES:
        assert canary.lower() not in text, canary
    assert '": "manager"' not in text  # the user; employees have a property of that name


def test_a_record_is_its_owners_and_never_written_over(tmp_path: Path) -> None:
    file = tmp_path / "record"
    write_record(file, {"record": 1})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        write_record(file, {"record": 2})
    assert json.loads(file.read_text()) == {"record": 1}


@pytest.mark.asyncio
async def test_a_record_of_a_session_of_its_own_is_the_same(tmp_path: Path) -> None:
    file = tmp_path / "record"
    err = io.StringIO()
    async with run_sim(seed="small") as sim:
        settings = ErpSettings(sim.url, timeout_s=20.0, slow_call_s=1e9)
        suite = Suite(
            service="erpdoctor",
            questions=SHARED_QUESTIONS,
            erp=settings,
            credentials=lambda: CREDENTIALS,
            company=CREDENTIALS.company_db,
            environment="test",
            entity_sets=lambda: SETS,
        )
        assert await asyncio.to_thread(record_into, file, suite, err=err) == 0
        assert len(sim.calls.of("POST", "Login")) == len(sim.calls.of("POST", "Logout")) == 1
        of_line = await record_of(sim)
    assert json.loads(file.read_text())["entitySets"] == of_line["entitySets"]
    assert err.getvalue().splitlines()[:-1] == [*(question.name for question in SHARED_QUESTIONS), *SETS]


@pytest.mark.asyncio
async def test_definitions_are_read_to_their_end() -> None:
    async with run_sim(seed="small") as sim:
        for number in range(30):
            body = {"TableName": "ORDR", "Name": f"Campo{number}", "Type": "db_Alpha", "SubType": "st_None"}
            sim.world.create("UserFieldsMD", {**body, "Size": 10}, MANAGER)
        defined = sum(1 for _ in sim.world.company.rows("UserFieldsMD"))
        assert defined > PAGE_ROWS
        assert len((await record_of(sim))["userFields"]) == defined


@pytest.mark.asyncio
async def test_what_the_user_may_not_see_is_left_out() -> None:
    switches = turned(forbidden_sets="UserFieldsMD", other_habits="version-in-words")
    async with run_sim(switches=switches, seed="small") as sim:
        sim.faults.add(Fault(action=Answer(status=200, body="no XML"), path="$metadata"))
        told = await record_of(sim)
    assert (told["userFields"], told["version"], "version" in told["switches"]) == ([], None, False)
    assert told["entitySets"]["Orders"] == {"status": "200"}


@pytest.mark.asyncio
async def test_a_login_that_tells_its_session_alone_is_enough() -> None:
    async with run_sim(seed="small") as sim:
        session = sim.sessions.open("manager", None)
        body = json.dumps({"SessionId": session.session_id})
        login = Answer(status=200, body=body, content_type="application/json")
        sim.faults.add(Fault(action=login, path="Login"))
        told = await record_of(sim)
    assert (told["sessionTimeoutMinutes"], "idle_timeout_s" in told["switches"]) == (None, False)
    assert told["entitySets"]["Orders"]["status"] == "200"
