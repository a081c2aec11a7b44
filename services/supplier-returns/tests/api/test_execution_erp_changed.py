"""The ERP changes between plan and execution: the affected document reports it, the others proceed.

All refusals come from the rules of the simulated company.
"""

import asyncio
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import attrs
import httpx2
import pytest
from executions import (
    PLANNINGS,
    executed,
    items_of_different_suppliers,
    open_lines,
    plan,
    reprocess,
    returns_of,
    states,
)

from erpsim.company.notification import Notice
from erpsim.desk import Desk
from erpsim.faults import Delay, Fault, Refuse
from erpsim.simulator import Simulator, run_sim
from servicekit.clock import ManualClock
from supplier_returns.planning.model.warnings import REPEATED, SENTENCES

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

pytestmark = pytest.mark.asyncio

COUNT = 3
"""Documents of each planning here."""

FOREIGN_SUPPLIER = "P00004"
"""Bills in dollars (seed `returns`)."""


@attrs.frozen
class Target:
    """First document of a planning, its only part and its supplier."""

    supplier: str
    item: str
    receipt: int
    receipt_number: int

    @classmethod
    def of(cls, detail: dict[str, Any]) -> "Target":
        document = detail["documentos"][0]
        (line, part), *others = (
            (line, part)
            for line in detail["lineas"]
            for part in line["asignaciones"]
            if part["docId"] == document["docId"]
        )
        assert not others
        return cls(document["cardCode"], line["itemCode"], part["baseEntry"], part["baseNum"])


def in_stock(desk: Desk, item: str) -> Decimal:
    rows: Any = desk.read("Items", item)["ItemWarehouseInfoCollection"]
    return next(Decimal(str(row["InStock"])) for row in rows if row["WarehouseCode"] == "01")


def take_all_but_one(desk: Desk, target: Target) -> None:
    line = {"ItemCode": target.item, "Quantity": in_stock(desk, target.item) - 1, "WarehouseCode": "01"}
    desk.create("InventoryGenExits", {"DocumentLines": [line]})


def send_back_all_but_one(desk: Desk, target: Target) -> None:
    whole: Any = desk.read("PurchaseDeliveryNotes", target.receipt)
    line = next(line for line in whole["DocumentLines"] if line["ItemCode"] == target.item)
    left = line["RemainingOpenQuantity"] - 1
    drawn = {"BaseType": 20, "BaseEntry": target.receipt, "BaseLine": line["LineNum"], "Quantity": left}
    desk.create(
        "InventoryGenEntries",
        {"DocumentLines": [{"ItemCode": target.item, "Quantity": left, "WarehouseCode": "01"}]},
    )
    desk.create("PurchaseReturns", {"CardCode": target.supplier, "DocumentLines": [drawn]})


def raise_the_price(desk: Desk, target: Target) -> None:
    """Change a price directly in the database, as no document does."""
    company = desk.world.company
    row: Any = company.get("PurchaseDeliveryNotes", (target.receipt,))
    lines = [
        {**line, **{name: line[name] + 100 for name in ("Price", "UnitPrice")}}
        if line["ItemCode"] == target.item
        else line
        for line in row["DocumentLines"]
    ]
    with company.transaction():
        company.update("PurchaseDeliveryNotes", {**row, "DocumentLines": lines})


def set_price(desk: Desk, item: str, price: Decimal) -> None:
    """Set the price of an item in every receipt."""
    company = desk.world.company
    receipts: Any = list(company.rows("PurchaseDeliveryNotes"))
    with company.transaction():
        for row in receipts:
            lines = [
                {**line, "Price": price} if line["ItemCode"] == item else line
                for line in row["DocumentLines"]
            ]
            company.update("PurchaseDeliveryNotes", {**row, "DocumentLines": lines})


def forbid(desk: Desk, target: Target) -> None:
    rule = Notice("PurchaseReturns", 13000316, "Falta el motivo", "CardCode", target.supplier)
    desk.world.switches = attrs.evolve(desk.world.switches, transaction_notification=frozenset({rule}))


def allow(desk: Desk, _target: Target) -> None:
    desk.world.switches = attrs.evolve(desk.world.switches, transaction_notification=frozenset())


def set_item(**fields: str) -> Callable[[Desk, Target], None]:
    return lambda desk, target: desk.change("Items", target.item, fields)


def set_supplier(**fields: str) -> Callable[[Desk, Target], None]:
    return lambda desk, target: desk.change("BusinessPartners", target.supplier, fields)


def leave_it(_desk: Desk, _target: Target) -> None:
    pass


@attrs.frozen(kw_only=True)
class Change:
    """A change in the ERP.

    Args:
        make: makes the change.
        error_class: class of the affected document.
        own: message of the service; None if only the ERP notices the change.
        erp: message of the ERP.
        mend: action of a user before reprocessing.
        again: whether reprocessing posts the same document; otherwise its goods go into a new one.
        left: quantity that can still be returned.
    """

    make: Callable[[Desk, Target], object]
    error_class: str
    own: str | None = None
    erp: str
    mend: Callable[[Desk, Target], object] = leave_it
    again: bool = False
    left: int = 2


CHANGES = {
    "stock lower": Change(
        make=take_all_but_one,
        error_class="stock",
        own="De {item} se devuelven 2 y en la bodega hay 1.",
        erp="Quantity falls into negative inventory  [RPD1.ItemCode][line: 1]",
        left=1,
    ),
    "receipt closed": Change(
        make=lambda desk, target: desk.act("PurchaseDeliveryNotes", target.receipt, "Close"),
        error_class="base",
        own="De {item} en la recepción {number} se devuelven 2 y ya no queda nada abierto.",
        erp="One of the base documents has already been closed  [RPD1.BaseEntry][line: 1]",
    ),
    "less open": Change(
        make=send_back_all_but_one,
        error_class="base",
        own="De {item} en la recepción {number} se devuelven 2 y solo quedan 1 abiertas.",
        erp="Quantity exceeds the open quantity of the base document  [RPD1.Quantity][line: 1]",
    ),
    "partner blocked": Change(
        make=set_supplier(Frozen="tYES"),
        error_class="maestro",
        erp="Business partner is inactive  [ORPD.CardCode]",
        mend=set_supplier(Frozen="tNO"),
    ),
    "item inactive": Change(
        make=set_item(Frozen="tYES"),
        error_class="maestro",
        own="El artículo {item} está inactivo en la fecha de la devolución.",
        erp="Item is inactive  [RPD1.ItemCode][line: 1]",
        mend=set_item(Frozen="tNO"),
    ),
    "item managed by batches": Change(
        make=set_item(ManageBatchNumbers="tYES"),
        error_class="lotes",
        erp="Cannot add row without complete selection of batch/serial numbers",
        mend=set_item(ManageBatchNumbers="tNO"),
    ),
    "a rule of the company": Change(
        make=forbid, error_class="erp", erp="(13000316) Falta el motivo", mend=allow, again=True
    ),
}
ALL = pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)


async def check_the_end(
    change: Change, sim: Simulator, client: httpx2.AsyncClient, failed: dict[str, Any], target: Target
) -> None:
    """Undo the change, reprocess, and check the result that the class requires."""
    change.mend(Desk(sim.world), target)
    done = await reprocess(client, failed)
    assert done["estado"] == "ejecutada", done["documentos"]
    first, *others = states(done)
    assert first == ("creado" if change.again else "omitido")
    assert set(others) == {"creado"}
    assert sum(line["asignada"] for line in done["lineas"] if line["itemCode"] == target.item) <= 2
    made = returns_of(sim, done["id"])
    assert len(made) == states(done).count("creado")
    assert len({row["U_LIB_Clave"] for row in made}) == len(made)
    given = sum(
        line["Quantity"] for row in made for line in row["DocumentLines"] if line["ItemCode"] == target.item
    )
    assert given <= change.left


@ALL
async def test_a_change_before_the_execution_fails_only_its_document(
    stocked: "Service", bodega: httpx2.AsyncClient, change: Change
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, COUNT))
    target = Target.of(detail)
    change.make(Desk(stocked.sim.world), target)
    with stocked.counting() as calls:
        failed = await executed(bodega, detail)
    concerned, *others = failed["documentos"]
    expected = (change.own or change.erp).format(item=target.item, number=target.receipt_number)
    assert (concerned["estado"], concerned["clase"], concerned["mensaje"]) == (
        "error",
        change.error_class,
        expected,
    )
    assert [each["estado"] for each in others] == ["creado"] * (COUNT - 1)
    assert failed["estado"] == "con_errores"
    assert len(calls) <= 6 * COUNT + 6
    await check_the_end(change, stocked.sim, bodega, failed, target)


@ALL
async def test_a_change_after_the_check_is_reported_in_the_words_of_the_erp(
    stocked: "Service", bodega: httpx2.AsyncClient, change: Change
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, COUNT))
    target = Target.of(detail)
    stocked.sim.calls.clear()
    stocked.sim.faults.add(Fault(action=Delay(seconds=0.5), path="$batch"))
    running = asyncio.create_task(executed(bodega, detail))
    await stocked.arrived("POST", "$batch")
    change.make(Desk(stocked.sim.world), target)
    failed = await running
    concerned, *others = failed["documentos"]
    expected = ("error", change.error_class, change.erp)
    assert (concerned["estado"], concerned["clase"], concerned["mensaje"]) == expected
    assert [each["estado"] for each in others] == ["creado"] * (COUNT - 1)
    await check_the_end(change, stocked.sim, bodega, failed, target)


async def test_a_changed_price_is_reported_and_reprocessing_plans_with_it(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, COUNT))
    target = Target.of(detail)
    raise_the_price(Desk(stocked.sim.world), target)
    failed = await executed(bodega, detail)
    concerned = failed["documentos"][0]
    assert (concerned["estado"], concerned["clase"]) == ("error", "base")
    before = f"De {target.item} en la recepción {target.receipt_number} el precio era "
    assert concerned["mensaje"].startswith(before)
    assert states(failed)[1:] == ["creado"] * (COUNT - 1)
    done = await reprocess(bodega, failed)
    assert states(done) == ["omitido", *["creado"] * COUNT]
    assert done["documentos"][-1]["total"] == detail["documentos"][0]["total"] + 200


@pytest.mark.parametrize("is_told", [True, False])
async def test_a_changed_small_price_is_reported(
    stocked: "Service", bodega: httpx2.AsyncClient, is_told: bool
) -> None:
    desk = Desk(stocked.sim.world)
    (item,) = items_of_different_suppliers(stocked.sim, 1)
    set_price(desk, item, Decimal(2))
    detail = await plan(bodega, item)
    set_price(desk, item, Decimal("2.4"))
    if not is_told:  # the decimals of the company
        refusal = Refuse(status=403, code=-6006, text="no right")
        stocked.sim.faults.add(Fault(action=refusal, path="CompanyService_GetAdminInfo"))
    async with stocked.signed_in() as another:
        failed = await executed(another, detail)
    assert (
        len(stocked.sim.calls.of("POST", "CompanyService_GetAdminInfo")) == 2
    )  # including the one of the plan
    concerned = failed["documentos"][0]
    assert (concerned["estado"], concerned["clase"]) == ("error", "base")
    assert concerned["mensaje"].endswith("el precio era 2 y ahora es 2,4.")


async def test_a_price_with_more_decimals_than_the_record_is_unchanged(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    (item,) = items_of_different_suppliers(stocked.sim, 1)
    set_price(Desk(stocked.sim.world), item, Decimal("2.123456"))
    assert states(await executed(bodega, await plan(bodega, item))) == ["creado"]


async def test_totals_are_shown_as_the_record_rounds_them(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    (item,) = items_of_different_suppliers(stocked.sim, 1)
    set_price(Desk(stocked.sim.world), item, Decimal("1.000001"))
    path = f"{PLANNINGS}/{(await plan(bodega, item))['id']}"
    changed = await bodega.patch(f"{path}/lineas/1", json={"version": 1, "cantidad": 0.5})
    assert [each["total"] for each in changed.json()["documentos"]] == [0.500001]
    assert (await bodega.get(path)).json() == changed.json()


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"Frozen": "tYES"}, "error"),
        ({"Frozen": "tYES", "FrozenFrom": "2026-03-02", "FrozenTo": "2026-03-02"}, "error"),
        ({"Frozen": "tYES", "FrozenTo": "2026-03-01"}, "creado"),
        ({"Frozen": "tYES", "FrozenFrom": "2026-03-03", "FrozenTo": "2026-12-31"}, "creado"),
        ({"Valid": "tYES"}, "creado"),
        ({"Valid": "tYES", "ValidFrom": "2026-03-02", "ValidTo": "2026-03-02"}, "creado"),
        ({"Valid": "tYES", "ValidTo": "2026-03-01"}, "error"),
    ],
    ids=[
        "frozen",
        "frozen that day",
        "frozen before",
        "frozen later",
        "valid",
        "valid that day",
        "valid before",
    ],
)
async def test_an_item_is_inactive_on_the_dates_in_the_erp(
    stocked: "Service", bodega: httpx2.AsyncClient, fields: dict[str, str], state: str
) -> None:
    (item,) = items_of_different_suppliers(stocked.sim, 1)
    Desk(stocked.sim.world).change("Items", item, fields)
    planned = await plan(bodega, item)
    assert (planned["cabecera"]["fecha"], planned["lineas"][0]["mensaje"] is None) == (
        "2026-03-02",
        state == "creado",
    )
    done = await executed(bodega, planned)
    assert states(done) == [state]
    if state == "error":
        reported = done["documentos"][0]["mensaje"]
        assert reported == f"El artículo {item} está inactivo en la fecha de la devolución."


async def test_a_blocked_supplier_is_reported_until_the_line_is_excluded(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, COUNT))
    target = Target.of(detail)
    desk = Desk(stocked.sim.world)
    set_supplier(Frozen="tYES")(desk, target)
    again = await reprocess(bodega, await executed(bodega, detail))
    assert states(again) == ["omitido", *["creado"] * (COUNT - 1), "error"]
    assert again["documentos"][-1]["mensaje"] == f"{CHANGES['partner blocked'].erp} {SENTENCES[REPEATED]}"
    line = next(line for line in again["lineas"] if line["itemCode"] == target.item)
    path = f"{PLANNINGS}/{detail['id']}/lineas/{line['lineId']}"
    without = await bodega.patch(path, json={"version": again["version"], "excluida": True})
    assert without.status_code == 200, without.text
    assert without.json()["estado"] == "ejecutada"


# --- changes that affect every document


def lock_march(desk: Desk) -> None:
    desk.world.switches = attrs.evolve(desk.world.switches, locked_periods=frozenset({"2026-03"}))


def end_february(desk: Desk) -> None:
    desk.world.switches = attrs.evolve(desk.world.switches, last_posting_date=date(2026, 2, 28))


def open_all(desk: Desk) -> None:
    desk.world.switches = attrs.evolve(
        desk.world.switches, locked_periods=frozenset(), last_posting_date=None, daily_rates=False
    )


def lock_series(desk: Desk, locked: str = "tYES") -> None:
    body = {"DocumentTypeParams": {"Document": "21"}}
    series: Any = desk.service("SeriesService_GetDefaultSeries", body)
    desk.service("SeriesService_UpdateSeries", {"Series": {"Series": series["Series"], "Locked": locked}})


LOCKED = "Posting period locked; specify an alternative date"
EVERYWHERE = {
    "period locked": (lock_march, open_all, "periodo", LOCKED),
    "date outside": (
        end_february,
        open_all,
        "periodo",
        "Date deviates from permissible range  [ORPD.DocDate]",
    ),
    "series locked": (
        lock_series,
        lambda desk: lock_series(desk, "tNO"),
        "serie",
        "To generate this document, first define the numbering series in the Administration module",
    ),
}


@pytest.mark.parametrize(("close", "reopen", "error_class", "text"), EVERYWHERE.values(), ids=EVERYWHERE)
async def test_documents_blocked_by_a_period_or_series_keep_their_keys_for_the_retry(
    stocked: "Service",
    bodega: httpx2.AsyncClient,
    close: Callable[[Desk], None],
    reopen: Callable[[Desk], None],
    error_class: str,
    text: str,
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, COUNT))
    desk = Desk(stocked.sim.world)
    close(desk)
    failed = await executed(bodega, detail)
    reported = {(each["estado"], each["clase"], each["mensaje"]) for each in failed["documentos"]}
    assert reported == {("error", error_class, text)}
    still = await reprocess(bodega, failed)
    assert states(still) == ["error"] * COUNT, "nothing has changed, so nothing is posted"
    reopen(desk)
    done = await reprocess(bodega, still)
    assert (done["estado"], states(done)) == ("ejecutada", ["creado"] * COUNT)
    assert [each["intentos"] for each in done["documentos"]] == [3] * COUNT
    assert len(returns_of(stocked.sim, detail["id"])) == COUNT


async def test_a_period_closed_during_a_run_fails_only_the_later_documents(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, COUNT))
    desk = Desk(stocked.sim.world)
    stocked.sim.calls.clear()
    stocked.sim.faults.add(Fault(action=Delay(seconds=0.5), path="$batch", nth=2))
    running = asyncio.create_task(executed(bodega, detail))
    await stocked.arrived("POST", "$batch", count=2)
    lock_march(desk)
    failed = await running
    assert states(failed) == ["creado", *["error"] * (COUNT - 1)]
    open_all(desk)
    done = await reprocess(bodega, failed)
    assert states(done) == ["creado"] * COUNT
    assert done["documentos"][0] == failed["documentos"][0], "what was made is not touched"


async def test_a_date_in_an_open_period_resolves_the_failure(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, COUNT))
    lock_march(Desk(stocked.sim.world))
    failed = await executed(bodega, detail)
    changed = await bodega.patch(
        f"{PLANNINGS}/{detail['id']}/cabecera", json={"version": failed["version"], "fecha": "2026-04-01"}
    )
    assert changed.status_code == 200, changed.text
    done = await executed(bodega, changed.json())
    assert done["estado"] == "ejecutada"
    made = returns_of(stocked.sim, detail["id"])
    assert {row["DocDate"] for row in made} == {"2026-04-01"}
    assert len(made) == COUNT


async def test_a_missing_exchange_rate_fails_only_the_foreign_documents(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    abroad = {item for supplier, item in open_lines(stocked.sim) if supplier == FOREIGN_SUPPLIER}
    detail = await plan(bodega, *sorted(abroad), quantity=60)
    foreign = {each["docId"] for each in detail["documentos"] if each["moneda"] != "CLP"}
    assert 0 < len(foreign) < len(detail["documentos"])
    desk = Desk(stocked.sim.world)
    desk.world.switches = attrs.evolve(desk.world.switches, daily_rates=True)
    failed = await executed(bodega, detail)
    for each in failed["documentos"]:
        if each["docId"] in foreign:
            assert (each["estado"], each["clase"]) == ("error", "tipoCambio")
            assert each["mensaje"] == "Update the exchange rate , 'USD'"
        else:
            assert each["estado"] == "creado"
    set_rate = {"Currency": "USD", "RateDate": detail["cabecera"]["fecha"], "Rate": 930}
    desk.service("SBOBobService_SetCurrencyRate", set_rate)
    assert set(states(await reprocess(bodega, failed))) == {"creado"}


async def test_a_company_rule_that_breaks_change_sets_leaves_the_document_uncertain(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, COUNT))
    target = Target.of(detail)
    desk = Desk(stocked.sim.world)
    desk.world.switches = attrs.evolve(desk.world.switches, notification_breaks_batch=True)
    forbid(desk, target)
    lost = await executed(bodega, detail)
    assert states(lost) == ["incierto", *["creado"] * (COUNT - 1)]
    soon = await reprocess(bodega, lost)
    clock.advance(200)
    late = await reprocess(bodega, lost)
    for shown, attempts in ((soon, 1), (late, 2)):
        concerned = shown["documentos"][0]
        assert (concerned["estado"], concerned["intentos"]) == ("incierto", attempts)
    allow(desk, target)
    clock.advance(200)
    assert states(await reprocess(bodega, lost)) == ["creado"] * COUNT
    assert len(returns_of(stocked.sim, detail["id"])) == COUNT


async def test_without_the_fence_the_text_of_the_company_rule_is_shown(open_service: "OpenService") -> None:
    async with (
        run_sim(seed="returns") as sim,
        open_service(sim, EXECUTION_FENCE="off") as service,
        service.signed_in() as manager,
    ):
        assert (await manager.post("/api/metadata/rebuild")).status_code == 200
        detail = await plan(manager, *items_of_different_suppliers(sim, COUNT))
        desk, target = Desk(sim.world), Target.of(detail)
        desk.world.switches = attrs.evolve(desk.world.switches, notification_breaks_batch=True)
        forbid(desk, target)
        failed = await executed(manager, detail)
        assert states(failed) == ["error", *["creado"] * (COUNT - 1)]
        assert failed["documentos"][0]["mensaje"] == "(13000316) Falta el motivo"
