"""Use cases of planning over a company in memory."""

import asyncio
import json
from datetime import date
from decimal import Decimal
from typing import Any

import attrs
import pytest
from asking import ask, refusal
from msgspec.structs import replace

from erpclient import ErpRefused, ErpReplyUnreadable, ErpServerError
from servicekit.errors import InvalidBody, MalformedJson, ServiceError
from supplier_returns.planning.errors import (
    HeldByDocument,
    LineNotFound,
    MetadataMissing,
    OpenPlanningExists,
    PasteTooLarge,
    PicksMismatch,
    PlanningClosed,
    PlanningInExecution,
    PlanningNotFound,
    PlanningTooLarge,
    PlanningUnreadable,
    StaleVersion,
    UnknownWarehouse,
    UnreadablePaste,
)
from supplier_returns.planning.model.documents import OwnCode
from supplier_returns.planning.model.listing import PlanningFilter
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState, LineState, PlanningState
from supplier_returns.planning.model.warehouse import DateRange, WarehouseFacts
from supplier_returns.planning.rules.drafting import BINS_UNSUPPORTED
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.planning.service import NewPlanning, PlanningService

pytestmark = pytest.mark.asyncio


def paste(text: str, **more: Any) -> bytes:
    return json.dumps({"whsCode": "01", "texto": text, **more}).encode()


def decimals(*numbers: int) -> list[Decimal]:
    return [Decimal(number) for number in numbers]


def returned_quantity(planning: Planning, line_id: int = 1) -> list[tuple[int, object]]:
    line = next(line for line in planning.lines if line.line_id == line_id)
    return [(part.receipt.doc_entry, part.inventory) for part in line.allocations]


# --- preview


async def test_a_preview_plans_and_stores_nothing(service: PlanningService, objects: Any) -> None:
    preview = await service.preview(paste("Código\tCantidad\nA\t12\nB\t1\n"))
    first, second = preview.plan.lines
    assert [first.allocated, first.no_stock, first.no_receipt] == decimals(10, 2, 0)
    assert second.allocated == 1
    assert first.message == "Se devuelven 10 de 12. Faltan 2 en la bodega (hay 10)."
    assert second.message is None
    assert [document.card_code for document in preview.plan.documents] == ["P1", "P2"]
    assert objects.calls == ["list"], "which looks for other plannings on the same stock"


async def test_a_preview_reads_each_source_once(service: PlanningService, company: Any) -> None:
    await service.preview(paste("A\t1\nB\t1\n"))
    assert company.calls == ["stock 01 *", "receipts 01 *"]


async def test_item_codes_are_spelled_as_in_the_erp(service: PlanningService) -> None:
    preview = await service.preview(paste("lote\t1\nLOTE\t2\n"))
    (line,) = preview.plan.lines
    assert (line.item_code, line.rows) == ("LOTE", (1, 2))
    assert line.quantity == 3


async def test_a_repeated_item_is_added_up_with_a_warning(service: PlanningService) -> None:
    text = "Código\tCantidad\tMotivo\n" + "LOTE\t1\tVENC\nB\t1\t\nlote\t2\tvencido\n" + "B\t1\tROTO\n"
    preview = await service.preview(paste(text))
    assert [(line.item_code, line.quantity, line.rows) for line in preview.plan.lines] == [
        ("LOTE", Decimal(3), (2, 4)),
        ("B", Decimal(1), (3,)),
        ("B", Decimal(1), (5,)),
    ]
    (warning,) = json.loads(b"[" + preview.plan_warnings + b"]")
    assert (warning["fila"], warning["valor"], warning["code"]) == (4, "LOTE", "item_repeated")
    assert "filas 2, 4;" in warning["message"]


async def test_a_warning_names_only_some_of_many_rows(service: PlanningService) -> None:
    preview = await service.preview(paste("A\t1\n" * 30))
    (warning,) = json.loads(b"[" + preview.plan_warnings + b"]")
    assert "19, 20…; se sumaron" in warning["message"]


async def test_an_unknown_code_gets_a_warning_with_a_suggestion(
    service: PlanningService, company: Any
) -> None:
    company.add("0012", 5)
    preview = await service.preview(paste("12\t1\nZZZ\t1\n"))
    warnings = json.loads(b"[" + preview.plan_warnings + b"]")
    assert [warning["code"] for warning in warnings] == ["item_unknown", "item_unknown"]
    assert "«0012»" in warnings[0]["message"]
    assert "Quiso" not in warnings[1]["message"]
    existing, unknown = preview.plan.lines
    assert existing.message == (
        "El ERP no tiene este artículo en la bodega; revise el código. ¿Quiso decir «0012»?"
    )
    assert unknown.state is LineState.NO_STOCK


async def test_an_existing_item_code_is_accepted_although_it_looks_like_a_number(
    service: PlanningService, company: Any, receipt: Any
) -> None:
    company.add("VERDADERO", 5, receipt(30, "VERDADERO", 5))
    text = "Código\tCantidad\tMotivo\nverdadero\t2\tVENC\n#N/D\t1\t\nTotal\t3\t\n"
    for size in (1, 20_000):  # once on a thread, and once in another process
        preview = await service.preview(paste(text + "\n" * size))
        (line,) = preview.plan.lines
        assert (line.item_code, line.allocated, line.reason) == ("VERDADERO", Decimal(2), "VENC")
        problems = json.loads(b"[" + preview.reading.problems + b"]")
        assert [note["code"] for note in problems] == ["code_is_an_error"]
        assert [note["code"] for note in json.loads(b"[" + preview.reading.warnings + b"]")] == ["totals_row"]


async def test_other_open_plannings_of_the_same_stock_are_reported(
    service: PlanningService, signed_in: Any, objects: Any
) -> None:
    theirs = await signed_in("manager").create(ask(("A", 1), ("B", 1), ("LOTE", 1)))
    excluded = await signed_in("otra").create(ask(("A", 1), ("SERIE", 1)))
    await signed_in("otra").change_line(excluded.id, 1, 1, {"excluded": True})
    closed = await signed_in("manager").create(attrs.evolve(ask(("A", 1)), allow_another=True))
    objects.rows[closed.id]["Status"] = "C"
    spoiled = await signed_in("manager").create(attrs.evolve(ask(("A", 1)), allow_another=True))
    objects.rows[spoiled.id]["LIB_DEV1Collection"] = [{"U_ItemCode": None}]
    preview = await service.preview(paste("X\t1\nB\t1\nA\t1\n"))
    notes = json.loads(b"[" + preview.plan_warnings + b"]")
    assert [(note["code"], note["fila"], note["valor"]) for note in notes] == [
        ("item_unknown", 1, "X"),
        ("other_planning", 2, str(theirs.id)),
    ]
    assert notes[1]["message"] == (
        f"La planificación {theirs.id} de manager está abierta y usa las mismas existencias: A, B."
    )


async def other_plannings_reported(service: PlanningService, objects: Any) -> tuple[list[str], int]:
    """Return the codes of warnings about other plannings, and the number of calls."""
    before = objects.calls.count("list")
    preview = await service.preview(paste("A\t1\n"))
    notes = json.loads(b"[" + preview.plan_warnings + b"]")
    return [note["code"] for note in notes], objects.calls.count("list") - before


async def test_an_old_planning_is_reported_or_that_some_were_not_checked(
    service: PlanningService, signed_in: Any, objects: Any
) -> None:
    def again(code: str) -> Any:
        return attrs.evolve(ask((code, 1)), allow_another=True)

    await signed_in("manager").create(again("A"))
    for _ in range(12):
        done = await signed_in("otra").create(again("A"))
        objects.rows[done.id]["U_Estado"] = "T"
    assert await other_plannings_reported(service, objects) == (["other_planning"], 1)
    for _ in range(10):
        await signed_in("otra").create(again("B"))
    assert await other_plannings_reported(service, objects) == (["other_planning"], 2)
    for _ in range(40):
        await signed_in("otra").create(again("B"))
    assert await other_plannings_reported(service, objects) == (["other_plannings_unknown"], 5)
    await signed_in("otra").create(again("A"))
    assert await other_plannings_reported(service, objects) == (
        ["other_planning", "other_plannings_unknown"],
        5,
    )


async def test_a_preview_works_if_other_plannings_cannot_be_read(
    service: PlanningService, objects: Any
) -> None:
    objects.refusal = ErpRefused(400, -1002, "Invalid entityset")
    assert (await service.preview(paste("A\t1\n"))).plan_warnings == b""
    objects.refusal = ErpRefused(403, -6006, "You are not permitted to perform this action")
    preview = await service.preview(paste("A\t1\n"))
    (note,) = json.loads(b"[" + preview.plan_warnings + b"]")
    assert note["code"] == "other_plannings_unknown"


async def test_a_reason_is_found_by_its_name_and_an_unknown_one_gets_a_warning(
    service: PlanningService,
) -> None:
    preview = await service.preview(paste("Código\tCantidad\tMotivo\nA\t1\tVENCIDO\nB\t1\tQuizás\n"))
    assert [line.reason for line in preview.plan.lines] == ["VENC", None]
    assert [note["code"] for note in json.loads(b"[" + preview.plan_warnings + b"]")] == ["reason_unknown"]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"{", MalformedJson),
        (b'{"whsCode": "01"}', InvalidBody),
        (b'{"whsCode": "", "texto": "A\\t1"}', InvalidBody),
        (b'{"whsCode": "01", "texto": "nada"}', UnreadablePaste),
        (b'{"whsCode": "99", "texto": "A\\t1"}', UnknownWarehouse),
    ],
)
async def test_an_unusable_paste_is_refused(
    service: PlanningService, company: Any, body: bytes, error: type[ServiceError]
) -> None:
    assert type(await refusal(lambda: service.preview(body))) is error
    assert company.calls == []


async def test_too_many_items_are_refused(service: PlanningService) -> None:
    text = "".join(f"X{number}\t1\n" for number in range(2_001))
    assert isinstance(await refusal(lambda: service.preview(paste(text))), PasteTooLarge)


async def test_a_large_paste_is_read_in_another_process(service: PlanningService) -> None:
    text = "A\t1\n" * 20_000
    preview = await service.preview(paste(text))
    assert preview.plan.lines[0].quantity == 20_000
    assert preview.reading.table.rows_read == 20_000


async def test_incomplete_receipts_give_no_plan(service: PlanningService, company: Any, objects: Any) -> None:
    company.failure = ErpServerError(502, None, "")
    with pytest.raises(ErpServerError):
        await service.preview(paste("A\t1\n"))
    with pytest.raises(ErpServerError):
        await service.create(ask(("A", 1)))
    assert objects.rows == {}


# --- create


async def test_a_new_planning_is_stored_and_read_back_unchanged(service: PlanningService) -> None:
    new = ask(("A", 12), ("LOTE", "2.5"), reason="VENC", comment="Retiro", series=71)
    created = await service.create(attrs.evolve(new, digest="ab" * 32))
    assert (created.id, created.version, created.state) == (1, 1, PlanningState.PLANNED)
    assert created.created_by == "bodega"
    assert returned_quantity(created) == [(1, 4), (2, 3), (3, 3)]
    assert [document.doc_id for document in created.documents] == [1, 2]
    assert {part.doc_id for line in created.lines for part in line.allocations} == {1, 2}
    assert await service.get(1) == created


async def test_totals_follow_price_and_document_quantity(
    service: PlanningService, company: Any, receipt: Any
) -> None:
    company.add("CAJA", 30, receipt(9, "CAJA", 2, factor="12", price=Decimal("1000.5")))
    company.decimals = 0
    created = await service.create(ask(("CAJA", 13)))
    (line,) = created.lines
    assert [line.allocated, line.indivisible] == decimals(12, 1)
    assert created.documents[0].total == Decimal("1000.5")
    assert line.message == "Se devuelven 12 de 13. 1 no completa la unidad en que se recibió."


async def test_two_requests_at_once_create_one_planning(service: PlanningService, objects: Any) -> None:
    results = await asyncio.gather(*(service.create(ask(("A", 1))) for _ in range(5)), return_exceptions=True)
    assert len(objects.rows) == 1
    assert sum(isinstance(result, OpenPlanningExists) for result in results) == 4


async def test_an_open_planning_of_another_user_does_not_matter(signed_in: Any) -> None:
    await signed_in("bodega").create(ask(("A", 1)))
    assert (await signed_in("manager").create(ask(("A", 1)))).created_by == "manager"


@pytest.mark.parametrize(
    ("new", "path"),
    [
        (ask(("A", "1.005")), "lineas[0].cantidad"),
        (ask(("A", 1), series=99), "cabecera.serie"),
        (ask(("A", 1), reason="OTRO"), "cabecera.motivo"),
        (
            attrs.evolve(ask(("A", 1)), lines=[attrs.evolve(ask(("A", 1)).lines[0], reason="OTRO")]),
            "lineas[0].motivo",
        ),
    ],
)
async def test_values_that_the_erp_cannot_store_are_refused_by_field(
    service: PlanningService, objects: Any, new: NewPlanning, path: str
) -> None:
    refused = await refusal(lambda: service.create(new))
    assert isinstance(refused, InvalidBody)
    assert [problem.path for problem in refused.errors] == [path]
    assert objects.rows == {}


async def test_an_inactive_warehouse_is_refused(service: PlanningService, company: Any) -> None:
    company.warehouses = [WarehouseFacts("01", "Central", is_active=False)]
    assert isinstance(await refusal(lambda: service.create(ask(("A", 1)))), UnknownWarehouse)


async def test_an_item_in_two_spellings_is_one_line(service: PlanningService) -> None:
    created = await service.create(ask(("a", 1), ("B", 1), ("A", 2)))
    assert [(each.line_id, each.item_code, int(each.quantity)) for each in created.lines] == [
        (1, "A", 3),
        (2, "B", 1),
    ]
    assert returned_quantity(created) == [(1, 3)]


async def test_lines_that_cannot_be_executed_are_planned_with_a_message(
    service: PlanningService, company: Any, receipt: Any
) -> None:
    company.warehouses = [WarehouseFacts("01", "Central", has_bins=True)]
    company.add("VIEJO", 5, receipt(20, "VIEJO", 5), frozen=DateRange())
    company.add("FACT", 5)
    created = await service.create(ask(("VIEJO", 1), ("FACT", 3), ("SERIE", 1)))
    old, invoiced, serial = created.lines
    assert old.message == (
        "El artículo está inactivo en la fecha de la devolución: "
        "hay que activarlo en el ERP antes de devolver. "
        "La bodega usa ubicaciones: prepare esta devolución en el ERP."
    )
    assert invoiced.message == (
        "No se puede devolver. 3 están en la bodega sin una recepción abierta: "
        "si ya se facturaron, corresponde una nota de crédito."
    )
    assert invoiced.state is LineState.NO_RECEIPT
    assert serial.message is not None
    assert serial.message.endswith("Elija las series antes de devolver.")
    assert serial.state is LineState.NEEDS_PICKS
    assert created.documents[0].message == "La bodega usa ubicaciones: prepare esta devolución en el ERP."


async def test_each_supplier_currency_and_branch_has_its_own_documents(
    service: PlanningService, company: Any, receipt: Any
) -> None:
    company.add(
        "C",
        100,
        receipt(31, "C", 1, currency="USD"),
        receipt(32, "C", 1, branch=2),
        receipt(33, "C", 1),
        receipt(34, "C", 1, line_num=4),
    )
    created = await service.create(ask(("C", 4), max_lines=1))
    kinds = {(each.currency, each.branch, each.part) for each in created.documents}
    assert kinds == {("USD", None, 1), ("CLP", 2, 1), ("CLP", None, 1), ("CLP", None, 2)}
    assert await service.get(created.id) == created


async def test_a_plan_over_too_many_receipts_is_refused(
    service: PlanningService, company: Any, receipt: Any
) -> None:
    company.add("MUCHO", 20_000, *(receipt(number, "MUCHO", 1) for number in range(1_000, 11_001)))
    assert isinstance(await refusal(lambda: service.create(ask(("MUCHO", 20_000)))), PlanningTooLarge)


async def test_an_erp_without_the_object_is_metadata_missing(service: PlanningService, objects: Any) -> None:
    objects.refusal = ErpRefused(400, -1002, "Invalid entityset")
    for work in (
        lambda: service.get(1),
        lambda: service.find_open(None),
        lambda: service.create(ask(("A", 1))),
    ):
        assert isinstance(await refusal(work), MetadataMissing)


# --- read


async def test_the_newest_open_planning_of_the_user_is_found(
    service: PlanningService, signed_in: Any
) -> None:
    assert await service.find_open("01") is None
    await service.create(ask(("A", 1)))
    await signed_in("manager").create(ask(("A", 1)))
    newest = await service.create(attrs.evolve(ask(("B", 1)), allow_another=True))
    assert await service.find_open("01") == newest
    assert await service.find_open(None) == newest
    assert await service.find_open("02") is None


async def test_a_list_comes_in_pages_newest_first(service: PlanningService, objects: Any) -> None:
    for _ in range(5):
        await service.create(attrs.evolve(ask(("A", 1)), allow_another=True))
    objects.rows[2]["Status"] = "C"
    page = await service.find(PlanningFilter(), page=2, size=2)
    assert [row.id for row in page.rows] == [3, 2]
    assert page.total == 5
    assert page.rows[1].state is PlanningState.CLOSED
    assert (await service.find(PlanningFilter(is_open=False), page=1, size=20)).total == 1
    since = PlanningFilter(created_from=date(2026, 3, 5))
    assert (await service.find(since, page=1, size=20)).total == 0


async def test_opening_a_planning_is_one_call(service: PlanningService, objects: Any, company: Any) -> None:
    planning = await service.create(ask(("A", 1)))
    objects.calls.clear()
    company.calls.clear()
    await service.get(planning.id)
    assert (objects.calls, company.calls) == (["get"], [])


async def test_a_missing_planning_is_not_found(service: PlanningService) -> None:
    assert isinstance(await refusal(lambda: service.get(7)), PlanningNotFound)


@pytest.mark.parametrize(
    "damage",
    [
        {"U_Estado": "?"},
        {"U_Fecha": None},
        {"LIB_DEV1Collection": []},
        {"CreateTime": "99:99:99"},
        {"U_WhsCode": 4},
    ],
)
async def test_a_record_changed_by_another_program_is_unreadable(
    service: PlanningService, objects: Any, damage: dict[str, Any]
) -> None:
    planning = await service.create(ask(("A", 1)))
    objects.rows[planning.id].update(damage)
    assert isinstance(await refusal(lambda: service.get(planning.id)), PlanningUnreadable)


@pytest.mark.parametrize("damage", [{"U_Fecha": None}, {"U_Estado": "?"}, {"LIB_DEV1Collection": None}])
async def test_a_damaged_record_does_not_hide_others(
    service: PlanningService, objects: Any, damage: dict[str, Any]
) -> None:
    older = await service.create(ask(("A", 1)))
    for _ in range(12):  # more than one request reads
        spoiled = await service.create(attrs.evolve(ask(("B", 1)), allow_another=True))
        objects.rows[spoiled.id].update(damage)
    assert (await service.find(PlanningFilter(), page=1, size=20)).total == 13
    objects.calls.clear()
    assert await service.find_open("01") == older
    assert objects.calls == ["list", "list", "list"]
    refused = await refusal(lambda: service.create(ask(("A", 1))))
    assert isinstance(refused, OpenPlanningExists)
    assert refused.members == {"id": older.id}
    objects.rows[older.id].update(damage)
    assert await service.find_open("01") is None
    assert (await service.create(ask(("A", 1)))).id == 14


async def test_a_list_marks_the_unreadable_record(service: PlanningService, objects: Any) -> None:
    await service.create(ask(("A", 1)))
    spoiled = await service.create(attrs.evolve(ask(("A", 1)), allow_another=True))
    objects.rows[spoiled.id].update({"U_Fecha": None, "U_WhsCode": 4})
    rows = (await service.find(PlanningFilter(), page=1, size=20)).rows
    assert [row.state for row in rows] == [PlanningState.UNREADABLE, PlanningState.PLANNED]
    assert (rows[0].id, rows[0].posting_date, rows[0].whs_code) == (spoiled.id, None, None)
    assert rows[0].created_by == "bodega"


async def test_a_list_of_records_without_keys_is_an_unreadable_reply(
    service: PlanningService, objects: Any
) -> None:
    planning = await service.create(ask(("A", 1)))
    del objects.rows[planning.id]["DocEntry"]
    with pytest.raises(ErpReplyUnreadable):
        await service.find(PlanningFilter(), page=1, size=20)


async def test_the_newest_planning_is_read_again_if_listed_without_lines(
    service: PlanningService, objects: Any
) -> None:
    older = await service.create(ask(("A", 1)))
    newest = await service.create(attrs.evolve(ask(("B", 1)), allow_another=True))
    objects.lists_without_lines = True
    assert await service.find_open("01") == newest
    assert objects.calls[-2:] == ["list", "get"]
    objects.rows[newest.id]["LIB_DEV1Collection"] = []
    assert await service.find_open("01") == older


# --- change a line


async def test_a_new_quantity_plans_only_its_item_in_four_calls(
    service: PlanningService, objects: Any, company: Any
) -> None:
    created = await service.create(ask(("A", 2), ("B", 2)))
    company.stock = [replace(item, on_hand=Decimal(1)) for item in company.stock]
    objects.calls.clear()
    company.calls.clear()
    changed = await service.change_line(created.id, 1, 1, {"quantity": Decimal(3)})
    assert objects.calls + company.calls == ["get", "modify", "stock 01 A", "receipts 01 A"]
    assert changed.version == 2
    assert [changed.lines[0].allocated, changed.lines[0].no_stock] == decimals(1, 2)
    assert changed.lines[1] == created.lines[1], "the other item keeps its plan, although its stock fell"
    assert await service.get(created.id) == changed


async def test_lines_of_one_item_are_planned_together(service: PlanningService) -> None:
    new = ask(("B", 1), ("B", 1))
    lines = [attrs.evolve(new.lines[0], reason="VENC"), attrs.evolve(new.lines[1], reason="ROTO")]
    created = await service.create(attrs.evolve(new, lines=lines))
    changed = await service.change_line(created.id, 1, 1, {"quantity": Decimal(2)})
    assert [line.allocated for line in changed.lines] == [2, 0]
    assert len(changed.documents) == 1


async def test_excluding_and_including_a_line_gives_the_same_plan_again(service: PlanningService) -> None:
    created = await service.create(ask(("A", 12), ("B", 1)))
    without = await service.change_line(created.id, 1, 1, {"excluded": True})
    assert without.lines[0].state is LineState.EXCLUDED
    assert without.lines[0].allocations == ()
    assert [document.card_code for document in without.documents] == ["P1"]
    again = await service.change_line(created.id, 1, 2, {"excluded": False})
    assert again.lines == created.lines
    assert again.documents == created.documents
    assert await service.get(created.id) == again


async def test_a_line_can_be_limited_to_a_supplier(service: PlanningService) -> None:
    created = await service.create(ask(("A", 5)))
    changed = await service.change_line(created.id, 1, 1, {"card_code": "P2"})
    assert returned_quantity(changed) == [(2, 3)]
    assert changed.lines[0].message == (
        "Se devuelven 3 de 5. 2 están en la bodega sin una recepción abierta del proveedor P2: "
        "si ya se facturaron, corresponde una nota de crédito."
    )
    assert [document.card_code for document in changed.documents] == ["P2"]
    lifted = await service.change_line(created.id, 1, 2, {"card_code": None})
    assert returned_quantity(lifted) == returned_quantity(created)


async def test_a_reason_changes_without_planning(service: PlanningService, company: Any) -> None:
    created = await service.create(ask(("A", 1)))
    company.calls.clear()
    changed = await service.change_line(created.id, 1, 1, {"reason": "ROTO"})
    assert (changed.lines[0].reason, company.calls) == ("ROTO", [])
    with_none = await service.change_line(created.id, 1, 2, {"reason": None})
    assert with_none.lines[0].reason is None
    assert isinstance(
        await refusal(lambda: service.change_line(created.id, 1, 3, {"reason": "OTRO"})), InvalidBody
    )


async def test_an_unchanged_line_writes_nothing(service: PlanningService, objects: Any) -> None:
    created = await service.create(ask(("A", 1)))
    objects.calls.clear()
    assert await service.change_line(created.id, 1, 1, {"quantity": Decimal(1)}) == created
    assert await service.change_header(created.id, 1, {"comment": None}) == created
    assert objects.calls == ["get", "get"]


async def test_batches_are_picked_over_the_receipts(service: PlanningService) -> None:
    created = await service.create(ask(("LOTE", 6)))
    assert created.lines[0].state is LineState.NEEDS_PICKS
    picks = [Pick(Decimal(2), batch="L1"), Pick(Decimal(4), batch="L2")]
    changed = await service.change_line(created.id, 1, 1, {}, picks)
    assert returned_quantity(changed) == [(5, 2), (5, 1), (6, 3)]
    assert [part.batch for part in changed.lines[0].allocations] == ["L1", "L2", "L2"]
    assert changed.lines[0].state is LineState.PLANNED
    assert changed.lines[0].message is None
    assert [document.line_count for document in changed.documents] == [2]
    assert await service.get(created.id) == changed


async def test_picks_are_kept_while_they_add_up(service: PlanningService) -> None:
    created = await service.create(ask(("LOTE", 6)))
    await service.change_line(created.id, 1, 1, {}, [Pick(Decimal(6), batch="L1")])
    same = await service.change_line(created.id, 1, 2, {"card_code": "P1"})
    assert not same.lines[0].lacks_picks
    more = await service.change_line(created.id, 1, 3, {"quantity": Decimal(7)})
    assert more.lines[0].state is LineState.NEEDS_PICKS


async def test_an_empty_list_removes_the_picks(service: PlanningService) -> None:
    created = await service.create(ask(("LOTE", 6)))
    await service.change_line(created.id, 1, 1, {}, [Pick(Decimal(6), batch="L1")])
    forgotten = await service.change_line(created.id, 1, 2, {}, [])
    assert forgotten.lines == created.lines
    assert forgotten.documents == created.documents


async def test_serial_numbers_are_one_unit_each(service: PlanningService) -> None:
    created = await service.create(ask(("SERIE", 2)))
    picks = [Pick(Decimal(1), serial="S1"), Pick(Decimal(1), serial="S2")]
    changed = await service.change_line(created.id, 1, 1, {}, picks)
    assert [part.serial for part in changed.lines[0].allocations] == ["S1", "S2"]
    again = await service.change_line(created.id, 1, 2, {"card_code": "P1"})
    assert [part.serial for part in again.lines[0].allocations] == ["S1", "S2"]


@pytest.mark.parametrize(
    ("item", "picks", "text"),
    [
        ("LOTE", [Pick(Decimal(1), batch="L1")], "Lo elegido suma 1, pero se devuelven 2."),
        ("LOTE", [Pick(Decimal("3.5"), batch="L1")], "Lo elegido suma 3,5, pero se devuelven 2."),
        (
            "LOTE",
            [Pick(Decimal(1), serial="S"), Pick(Decimal(1), serial="T")],
            "El artículo se maneja por lotes.",
        ),
        ("A", [Pick(Decimal(2), batch="L1")], "El artículo no se maneja por lotes ni series."),
    ],
)
async def test_picks_that_do_not_fit_are_refused_with_a_message(
    service: PlanningService, objects: Any, item: str, picks: list[Pick], text: str
) -> None:
    created = await service.create(ask((item, 2)))
    refused = await refusal(lambda: service.change_line(created.id, 1, 1, {}, picks))
    assert isinstance(refused, PicksMismatch)
    assert refused.detail == text
    assert objects.rows[created.id]["U_Version"] == 1


async def test_a_batch_quantity_with_too_many_decimals_is_refused(
    service: PlanningService, objects: Any
) -> None:
    created = await service.create(ask(("LOTE", 2)))
    picks = [Pick(Decimal("1.005"), batch="L1"), Pick(Decimal("0.995"), batch="L2")]
    refused = await refusal(lambda: service.change_line(created.id, 1, 1, {}, picks))
    assert [problem.path for problem in refused.errors] == ["lotes[0].cantidad", "lotes[1].cantidad"]
    assert objects.rows[created.id]["U_Version"] == 1


async def test_picks_for_an_excluded_line_are_refused(service: PlanningService, objects: Any) -> None:
    created = await service.create(ask(("LOTE", 2)))
    picks = [Pick(Decimal(2), batch="L1")]
    refused = await refusal(lambda: service.change_line(created.id, 1, 1, {"excluded": True}, picks))
    assert isinstance(refused, PicksMismatch)
    assert refused.detail == "Lo elegido suma 2, pero se devuelven 0."
    assert objects.rows[created.id]["U_Version"] == 1


async def test_a_stale_version_changes_nothing(service: PlanningService, objects: Any) -> None:
    created = await service.create(ask(("A", 1)))
    await service.change_line(created.id, 1, 1, {"quantity": Decimal(2)})
    for work in (
        lambda: service.change_line(created.id, 1, 1, {"quantity": Decimal(3)}),
        lambda: service.change_header(created.id, 1, {"comment": "x"}),
        lambda: service.replan(created.id, 1),
        lambda: service.add_lines(created.id, 1, ask(("B", 1)).lines),
    ):
        refused = await refusal(work)
        assert isinstance(refused, StaleVersion)
        assert refused.members == {"version": 2}
    assert objects.rows[created.id]["U_Version"] == 2


async def test_of_two_concurrent_changes_one_succeeds(service: PlanningService, signed_in: Any) -> None:
    created = await service.create(ask(("A", 1)))
    results = await asyncio.gather(
        *(
            signed_in(user).change_line(created.id, 1, 1, {"quantity": Decimal(quantity)})
            for quantity, user in enumerate(("bodega", "manager", "otra"), 2)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(result, Planning) for result in results) == 1
    assert sum(isinstance(result, StaleVersion) for result in results) == 2


async def test_a_missing_line_is_not_found(service: PlanningService) -> None:
    created = await service.create(ask(("A", 1)))
    refused = await refusal(lambda: service.change_line(created.id, 9, 1, {"excluded": True}))
    assert isinstance(refused, LineNotFound)


async def test_a_quantity_with_too_many_decimals_is_refused(service: PlanningService) -> None:
    created = await service.create(ask(("A", 1)))
    refused = await refusal(lambda: service.change_line(created.id, 1, 1, {"quantity": Decimal("1.005")}))
    assert [problem.path for problem in refused.errors] == ["cantidad"]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"Status": "C"}, PlanningClosed),
        ({"Canceled": "Y"}, PlanningClosed),
        ({"U_Estado": "E"}, PlanningInExecution),
    ],
)
async def test_a_closed_or_running_planning_cannot_change(
    service: PlanningService, objects: Any, fields: dict[str, str], error: type[ServiceError]
) -> None:
    created = await service.create(ask(("A", 1)))
    objects.rows[created.id].update(fields)
    for work in (
        lambda: service.change_line(created.id, 1, 1, {"excluded": True}),
        lambda: service.change_header(created.id, 1, {"comment": "x"}),
        lambda: service.replan(created.id, 1),
        lambda: service.add_lines(created.id, 1, ask(("B", 1)).lines),
    ):
        assert isinstance(await refusal(work), error)


@pytest.mark.parametrize("letter", ["C", "X", "E", "I", "A", "B"])
async def test_lines_in_sent_documents_cannot_change_but_others_can(
    service: PlanningService, objects: Any, letter: str
) -> None:
    created = await service.create(ask(("A", 8), ("B", 1), ("LOTE", 1), max_lines=1))
    sent_doc_id = created.lines[1].allocations[0].doc_id
    row = objects.rows[created.id]
    document = next(each for each in row["LIB_DEV3Collection"] if each["LineId"] == sent_doc_id)
    document["U_Estado"], row["U_Estado"] = letter, "X"
    if letter == "X":
        document["U_CodErr"] = OwnCode.KEY_TAKEN.value  # of all failures, these lock their lines
    for work in (
        lambda: service.change_line(created.id, 2, 1, {"excluded": True}),
        lambda: service.change_header(created.id, 1, {"comment": "x"}),
    ):
        assert isinstance(await refusal(work), HeldByDocument)
    changed = await service.change_line(created.id, 1, 1, {"quantity": Decimal(1)})
    assert [each.doc_id for each in changed.documents if each.locks_its_lines] == [sent_doc_id]
    sent_document = next(each for each in changed.documents if each.doc_id == sent_doc_id)
    assert sent_document == next(
        each for each in (await service.get(created.id)).documents if each.doc_id == sent_doc_id
    )
    assert changed.lines[1].allocations == created.lines[1].allocations
    parts = [each.part for each in changed.documents if each.card_code == "P1"]
    assert len(parts) == len(set(parts))


@pytest.mark.parametrize("of_line", [True, False])
async def test_a_change_gives_up_failed_documents(
    service: PlanningService, objects: Any, of_line: bool
) -> None:
    created = await service.create(ask(("A", 8), ("B", 1), max_lines=1))
    failed = created.lines[1].allocations[0].doc_id
    row = objects.rows[created.id]
    document = next(each for each in row["LIB_DEV3Collection"] if each["LineId"] == failed)
    document["U_Estado"], document["U_CodErr"], row["U_Estado"] = "X", "-4013", "X"
    assert not any(each.locks_its_lines for each in (await service.get(created.id)).documents)
    if of_line:
        changed = await service.change_line(created.id, 2, 1, {"reason": "VENC"})
    else:
        changed = await service.change_header(created.id, 1, {"comment": "x"})
    states = {each.doc_id: each.state for each in changed.documents}
    assert states.pop(failed) is DocumentState.OMITTED
    assert set(states.values()) == {DocumentState.PENDING}
    assert changed.state is PlanningState.PLANNED
    assert {part.doc_id for line in changed.lines for part in line.allocations} == states.keys()
    assert changed.lines[1].allocated == 1
    assert await service.get(created.id) == changed


@pytest.mark.parametrize(
    ("letter", "left"),
    [("C", [(1, 4), (2, 3)]), ("I", [(1, 2), (2, 3), (3, 2)])],
)
async def test_goods_of_an_unposted_document_are_not_planned_twice(
    service: PlanningService, objects: Any, letter: str, left: list[tuple[int, int]]
) -> None:
    new = ask(("A", 2), ("A", 1))
    lines = [attrs.evolve(new.lines[0], reason="VENC"), attrs.evolve(new.lines[1], reason="ROTO")]
    created = await service.create(attrs.evolve(new, lines=lines))
    row = objects.rows[created.id]
    (document,) = row["LIB_DEV3Collection"]
    document["U_Estado"], row["U_Estado"] = letter, "X"
    next(part for part in row["LIB_DEV2Collection"] if part["U_LinRef"] == 2)["U_DocRef"] = 0
    changed = await service.change_line(created.id, 2, 1, {"quantity": Decimal(7)})
    assert returned_quantity(changed, 2) == left
    more = await service.change_line(created.id, 2, 2, {"quantity": Decimal(10)})
    assert more.lines[1].no_stock == (0 if letter == "C" else 2)
    assert more.lines[0] == created.lines[0]


async def test_a_plan_of_too_many_lines_is_refused(service: PlanningService) -> None:
    new = ask(*[(f"Z{number}", 1) for number in range(10_001)])
    assert isinstance(await refusal(lambda: service.create(new)), PlanningTooLarge)


# --- change the header


async def test_a_new_comment_writes_only_the_header(
    service: PlanningService, objects: Any, company: Any
) -> None:
    created = await service.create(ask(("A", 1)))
    objects.calls.clear()
    company.calls.clear()
    changed = await service.change_header(created.id, 1, {"comment": "Retira el proveedor", "series": 71})
    assert (objects.calls, company.calls) == (["get", "modify"], [])
    assert changed.header.comment == "Retira el proveedor"
    assert await service.get(created.id) == changed


async def test_another_warehouse_replans_every_line(service: PlanningService, company: Any) -> None:
    company.warehouses.append(WarehouseFacts("02", "Norte"))
    created = await service.create(ask(("LOTE", 6), ("B", 1)))
    await service.change_line(created.id, 1, 1, {}, [Pick(Decimal(6), batch="L1")])
    company.calls.clear()
    changed = await service.change_header(created.id, 2, {"whs_code": "02"})
    assert company.calls == ["stock 02 *", "receipts 02 *"]
    assert changed.header.whs_code == "02"
    assert changed.lines[0].lacks_picks, "batches of another warehouse are others"
    assert await service.get(created.id) == changed
    assert isinstance(
        await refusal(lambda: service.change_header(created.id, 3, {"whs_code": "99"})), UnknownWarehouse
    )


async def test_another_date_replans_only_if_receipts_depend_on_it(
    service: PlanningService, company: Any
) -> None:
    created = await service.create(ask(("A", 8)))
    company.calls.clear()
    await service.change_header(created.id, 1, {"posting_date": date(2026, 3, 1)})
    assert company.calls == ["stock 01 *"], "which tells the days on which items are active"
    early = await service.change_header(created.id, 2, {"posting_date": date(2026, 1, 2)})
    assert returned_quantity(early) == [(1, 4)]
    assert early.lines[0].message == (
        "Se devuelven 4 de 8. 4 están en la bodega sin una recepción abierta: "
        "las hay con fecha posterior a la de la devolución."
    )
    limited = await service.change_line(created.id, 1, 3, {"card_code": "P9"})
    assert limited.lines[0].message is not None
    assert "nota de crédito" in limited.lines[0].message, "that supplier has none, early or late"
    await service.change_line(created.id, 1, 4, {"card_code": None})
    late = await service.change_header(created.id, 5, {"posting_date": date(2026, 3, 4)})
    assert returned_quantity(late) == returned_quantity(created)


async def test_another_date_updates_the_messages_about_inactive_items(
    service: PlanningService, company: Any, receipt: Any
) -> None:
    day, next_day = date(2026, 3, 4), date(2026, 3, 5)
    company.add("PAUSA", 5, receipt(20, "PAUSA", 5), frozen=DateRange(day, day))
    company.add("OTRA", 5, frozen=DateRange(next_day, next_day))
    created = await service.create(ask(("PAUSA", 1), ("A", 1)))
    assert created.lines[0].message is not None
    company.calls.clear()
    late = await service.change_header(created.id, 1, {"posting_date": next_day})
    assert late.lines[0].message is None
    assert company.calls == ["stock 01 *", "stock 01 *", "receipts 01 *"]
    again = await service.change_header(created.id, 2, {"posting_date": day})
    assert again.lines == created.lines


@pytest.mark.parametrize(("changes", "path"), [({"series": 5}, "serie"), ({"reason": "OTRO"}, "motivo")])
async def test_a_header_that_the_erp_cannot_store_is_refused(
    service: PlanningService, changes: dict[str, Any], path: str
) -> None:
    created = await service.create(ask(("A", 1)))
    refused = await refusal(lambda: service.change_header(created.id, 1, changes))
    assert [problem.path for problem in refused.errors] == [path]


async def test_other_refusals_of_the_erp_are_raised(service: PlanningService, objects: Any) -> None:
    objects.refusal = ErpRefused(403, -6006, "You are not permitted to perform this action")
    with pytest.raises(ErpRefused):
        await service.get(1)
    with pytest.raises(ErpRefused):
        await service.find_open("01")
    assert (await refusal(lambda: service.create(attrs.evolve(ask(("A", 1)), allow_another=True)))).code == (
        "erp_forbidden"
    )


# --- company facts for a line change


async def test_a_line_change_uses_the_company_facts_in_the_record(
    service: PlanningService, company: Any
) -> None:
    created = await service.create(ask(("A", 1), ("B", 1)))
    assert (created.header.decimals, created.header.has_bins) == (2, False)
    company.warehouses, company.decimals = [], 0
    changed = await service.change_line(created.id, 1, 1, {"quantity": Decimal("1.25")})
    assert changed.lines[0].quantity == Decimal("1.25")
    assert isinstance(
        await refusal(lambda: service.change_line(created.id, 1, 2, {"quantity": Decimal("1.255")})),
        InvalidBody,
    )


async def test_a_line_change_reads_company_facts_that_the_record_lacks(
    service: PlanningService, company: Any, objects: Any
) -> None:
    created = await service.create(ask(("A", 1)))
    for name in ("U_DecCant", "U_Ubicac"):
        del objects.rows[created.id][name]
    company.decimals = 0
    assert isinstance(
        await refusal(lambda: service.change_line(created.id, 1, 1, {"quantity": Decimal("1.5")})),
        InvalidBody,
    )
    company.warehouses = [WarehouseFacts("01", "Central", has_bins=True)]
    changed = await service.change_line(created.id, 1, 1, {"quantity": Decimal(2)})
    assert changed.documents[0].message == BINS_UNSUPPORTED
    company.warehouses = []
    assert isinstance(
        await refusal(lambda: service.change_line(created.id, 1, 2, {"quantity": Decimal(1)})),
        UnknownWarehouse,
    )


async def test_reading_the_open_planning_is_one_call(service: PlanningService, objects: Any) -> None:
    created = await service.create(ask(("A", 1)))
    objects.calls.clear()
    assert await service.find_open("01") == created
    assert objects.calls == ["list"]
