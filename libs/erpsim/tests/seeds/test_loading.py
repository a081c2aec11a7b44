"""Seeds: the same every time, of the sizes told, and such as the living company would have made them."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from decimal import Decimal

import pytest

from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.row_types import RowType, RowTypes
from erpsim.desk import Desk
from erpsim.facts import Facts
from erpsim.facts.document_kinds import KINDS
from erpsim.seeds import ODD_ITEM_CODES, SCALES, WEB_USERS, load_seed
from erpsim.seeds.loading import HIDDEN_KEYS
from erpsim.seeds.partners import tax_number
from erpsim.world import World

SMALL_DIGEST = "f35d0ec535a537e19b943f9087ab56d27ff5274cde82db797f84c7fa31e2cefd"
"""Changes whenever the small seed does: then raise the store's format, for files keep changes over a seed."""


FULL = pytest.param("full", marks=pytest.mark.check)
"""Thousands of rows are dear to make and to walk through."""


def digest(facts: Facts, seed: str) -> str:
    """Return a digest of all rows.

    User fields' definitions don't count, they come from the metadata; nor do tables without any row.
    """
    load = load_seed(seed, facts)
    names = sorted({*facts.entity_sets, *HIDDEN_KEYS, "$AdminInfo", "$CompanyInfo"} - {"UserFieldsMD"})
    content = {name: [[list(key), row] for key, row in load(name).items()] for name in names}
    content = {name: rows for name, rows in content.items() if rows}
    text = json.dumps(content, default=str, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_small_seed_is_identical_on_every_machine_and_python(facts: Facts) -> None:
    assert digest(facts, "small") == SMALL_DIGEST


@pytest.mark.proof
def test_the_small_seed_loads_in_no_time(run_alone: Callable[[str], list[float]]) -> None:
    code = (
        "import time; from erpsim.facts import Facts; from erpsim.world import World;"
        "from erpsim.desk import Desk; facts = load_packaged_facts(); started = time.process_time();"
        "desk = Desk(World(facts, seed='small')); desk.rows('Items'); desk.rows('Orders');"
        "desk.rows('JournalEntries'); print(time.process_time() - started)"
    )
    (seconds,) = run_alone(code)
    assert seconds < 0.1


@pytest.mark.proof
def test_the_full_seed_opens_at_once_and_loads_in_two_seconds(
    run_alone: Callable[[str], list[float]],
) -> None:
    code = (
        "import time; from erpsim.facts import Facts; from erpsim.world import World;"
        "from erpsim.query.options import QueryOptions; from erpsim.company.exchange import Caller;"
        "facts = load_packaged_facts(); started = time.process_time();"
        "world = World(facts, seed='full'); opened = time.process_time() - started;"
        "counts = [world.count(name, QueryOptions(), Caller(user='manager')) for name in facts.entity_sets];"
        "print(opened, time.process_time() - started)"
    )
    opened, loaded = run_alone(code)
    assert opened < 0.1
    assert loaded < 2


@pytest.mark.check
def test_the_full_seed_has_the_documented_sizes(make_world: Callable[..., World]) -> None:
    desk = Desk(make_world(seed="full"))
    assert len(desk.rows("Items", select="ItemCode")) == 5000
    assert len(desk.rows("BusinessPartners", select="CardCode")) == 400
    assert len(desk.rows("Warehouses")) == 20
    days = [str(row["DocDate"])[:10] for row in desk.rows("Orders", select="DocDate")]
    assert min(days) < "2024-01-10"
    assert max(days) > "2025-12-20"
    for name in ("PurchaseDeliveryNotes", "Invoices", "IncomingPayments", "VendorPayments", "JournalEntries"):
        assert len(desk.rows(name, select="DocumentStatus" if name == "Invoices" else None)) > 500, name


def test_an_unknown_seed_is_refused_by_name(facts: Facts) -> None:
    with pytest.raises(ValueError, match="no seed 'huge'; there are full, small, returns, wide, empty"):
        load_seed("huge", facts)


@pytest.mark.parametrize("seed", [FULL if scale == "full" else scale for scale in SCALES])
def test_seed_rows_contain_only_properties_of_their_type(facts: Facts, seed: str) -> None:
    row_types = RowTypes(facts)
    load = load_seed(seed, facts)
    for name, entity_set in facts.entity_sets.items():
        row_type = row_types.of_set(name)
        for key, row in load(name).items():
            assert len(key) == len(entity_set.type.key)
            check_row(row_type, row, name)


def check_row(row_type: RowType, row: Fields, place: str) -> None:
    for name, value in row.items():
        if name.startswith("$"):
            continue
        assert name in row_type.type.properties, (place, name)
        if name in row_type.collections:
            for each in rows_of(row, name):
                check_row(row_type.collections[name], each, f"{place}.{name}")
        elif name in row_type.enums:
            assert value is None or value in row_type.enums[name].members, (place, name, value)
        elif row_type.type.properties[name].type_name == "Edm.Double":
            assert value is None or (isinstance(value, Decimal) and "." in str(value)), (place, name, value)
            assert value is None or "E" not in str(value)
        elif row_type.type.properties[name].type_name == "Edm.Int32":
            assert value is None or isinstance(value, int), (place, name, value)
        else:
            assert value is None or isinstance(value, str), (place, name, value)


@pytest.mark.parametrize("seed", ["small", FULL])
def test_codes_in_documents_exist(make_world: Callable[..., World], seed: str) -> None:
    desk = Desk(make_world(seed=seed))
    items = {row["ItemCode"] for row in desk.rows("Items", select="ItemCode")}
    places = {row["WarehouseCode"] for row in desk.rows("Warehouses", select="WarehouseCode")}
    partners = {row["CardCode"] for row in desk.rows("BusinessPartners", select="CardCode")}
    entries = {row["JdtNum"] for row in desk.rows("JournalEntries", select="JdtNum")}
    for name in KINDS:
        for document in desk.rows(name, select="CardCode,TransNum,DocumentLines"):
            assert document["CardCode"] in partners or document["CardCode"] is None
            assert document["TransNum"] in entries or document["TransNum"] is None
            for line in rows_of(document, "DocumentLines"):
                assert line["ItemCode"] in items
                assert line["WarehouseCode"] in places


@pytest.mark.parametrize(
    "name", ["Orders", "DeliveryNotes", "Invoices", "PurchaseOrders", "PurchaseDeliveryNotes"]
)
def test_a_seeds_document_equals_the_companys_own(desk: Desk, name: str) -> None:
    """Post a seed's document again: amounts, texts and line fields must come out the same."""
    desk.world.switches = desk.world.switches
    result = desk.rows(name)[0]
    lines = [
        {"ItemCode": row["ItemCode"], "Quantity": row["Quantity"], "WarehouseCode": row["WarehouseCode"]}
        for row in rows_of(result, "DocumentLines")
    ]
    made = desk.create(
        name,
        {
            "CardCode": result["CardCode"],
            "DocDate": result["DocDate"],
            "DocDueDate": result["DocDueDate"],
            "U_CANAL": result["U_CANAL"],
            "Comments": result["Comments"],
            "NumAtCard": result["NumAtCard"],
            "FolioNumber": result["FolioNumber"],
            "DocumentLines": lines,
        },
    )
    own = {
        "DocEntry",
        "DocNum",
        "TransNum",
        "DocTime",
        "CreationDate",
        "UpdateDate",
        "UpdateTime",
        "DocumentStatus",
    }
    assert {key: value for key, value in made.items() if key not in own | {"DocumentLines"}} == {
        key: value for key, value in result.items() if key not in own | {"DocumentLines"}
    }
    moving = {
        "DocEntry",
        "LineStatus",
        "RemainingOpenQuantity",
        "RemainingOpenInventoryQuantity",
        "OpenAmount",
    }
    moving |= {"BaseType", "BaseEntry", "BaseLine"}
    for new, old in zip(rows_of(made, "DocumentLines"), rows_of(result, "DocumentLines"), strict=True):
        assert {key: value for key, value in new.items() if key not in moving} == {
            key: value for key, value in old.items() if key not in moving
        }


def test_items_with_unusual_codes_can_be_read(desk: Desk) -> None:
    assert set("/'ñÑ%+#&?\\") - set("ñ") <= set("".join(ODD_ITEM_CODES))
    for code in ODD_ITEM_CODES:
        assert desk.read("Items", code)["ItemCode"] == code
        quoted = "'" + code.replace("'", "''") + "'"
        assert desk.world.parse_key("Items", quoted) == (code,)


def test_web_users_are_as_documented(desk: Desk) -> None:
    employees = desk.rows("EmployeesInfo", filter="U_WEB_USER ne null")
    by_user: dict[object, list[Fields]] = {}
    for employee in employees:
        by_user.setdefault(employee["U_WEB_USER"], []).append(employee)
    assert set(by_user) == set(WEB_USERS)
    assert [row["U_WEB_PASS"] for row in by_user["ana"]] == [WEB_USERS["ana"]]
    assert str(by_user["carmen"][0]["U_WEB_PASS"]).startswith("$argon2id$")
    assert by_user["pedro"][0]["Active"] == "tNO"
    assert [row["Active"] for row in by_user["rosa"]] == ["tYES", "tYES"]
    assert by_user["diego"][0]["U_WEB_PASS"] == ""
    assert len(desk.rows("EmployeesInfo")) > len(employees)


def test_tax_numbers_have_their_check_digit() -> None:
    # Worked by hand with the published rule (module 11, weights 2 to 7).
    assert tax_number(76086428) == "76086428-5"
    assert tax_number(30686957) == "30686957-4"
    assert tax_number(10000013) == "10000013-K"
    assert tax_number(11111111) == "11111111-1"


def test_worlds_in_one_process_are_independent(make_world: Callable[..., World]) -> None:
    one, other = Desk(make_world()), Desk(make_world())
    one.change("Items", "A/1", {"ItemName": "cambiado"})
    one.create("Orders", {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "A/1"}]})
    assert other.read("Items", "A/1")["ItemName"] != "cambiado"
    assert len(other.rows("Orders")) == len(one.rows("Orders")) - 1


@pytest.mark.proof
def test_the_seed_does_not_depend_on_the_clock(make_world: Callable[..., World]) -> None:
    started = time.perf_counter()
    make_world(seed="full")
    assert time.perf_counter() - started < 1
