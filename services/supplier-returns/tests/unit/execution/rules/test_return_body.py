"""Body of a return: only fields that the receipt does not supply, and none that the ERP rejects."""

import json
from decimal import Decimal
from typing import Any

import attrs
from plannings import document, line, part, planning

from supplier_returns.execution.rules.return_body import ReturnFields, write_return
from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.planning import Planning
from supplier_returns.settings.custom_fields import CustomField, CustomFieldKind
from supplier_returns.settings.return_header import OWN_NAMES


def body_of(
    of: Planning, which: SupplierDocument | None = None, fields: ReturnFields | None = None
) -> dict[str, Any]:
    written = write_return(of, which or document(), fields or ReturnFields())
    parsed: dict[str, Any] = json.loads(written.content, parse_float=Decimal)
    return parsed


def test_a_plain_return_has_its_receipts_and_its_key() -> None:
    body = body_of(planning(line(1, part(2, position=1, entry=502)), line(2, part("1.5", item="B"))))
    assert body == {
        "CardCode": "P1",
        "DocDate": "2026-03-04",
        "DocDueDate": "2026-03-04",
        "TaxDate": "2026-03-05",
        "Comments": "Devolución de la planificación 7",
        "U_LIB_Clave": "ODEV-1-1-aa",
        "U_LIB_Odev": 1,
        "DocCurrency": "CLP",
        "DocumentLines": [
            {
                "BaseType": 20,
                "BaseEntry": 501,
                "BaseLine": 0,
                "Quantity": Decimal("1.5"),
                "WarehouseCode": "01",
            },
            {"BaseType": 20, "BaseEntry": 502, "BaseLine": 0, "Quantity": 2, "WarehouseCode": "01"},
        ],
    }


def test_header_fields_are_sent_if_they_are_set() -> None:
    header = {"series": 71, "comment": "x" * 300, "dispatch_kind": "2", "transfer_kind": "6"}
    fields = ReturnFields(transfer_kind="U_Ind", dispatch_kind="U_Tipo")
    body = body_of(planning(line(1, part()), header=header), document(branch=3, currency=""), fields)
    assert (body["Series"], body["BPL_IDAssignedToInvoice"], body["U_Ind"], body["U_Tipo"]) == (
        71,
        3,
        "6",
        "2",
    )
    assert len(body["Comments"]) == 254
    assert "DocCurrency" not in body
    without = body_of(planning(line(1, part())), fields=fields)
    assert "U_Tipo" not in without


def test_constants_and_answers_are_sent_without_those_to_removed_fields() -> None:
    fields = ReturnFields(
        constants={"Indicator": "52", "U_PESO": Decimal("1.50")},
        custom=(
            CustomField(name="U_BULTOS", label="Bultos", kind=CustomFieldKind.NUMBER),
            CustomField(name="U_PATENTE", label="Patente"),
            CustomField(name="U_GLOSA", label="Glosa"),
        ),
    )
    answers = {"U_BULTOS": "3", "U_PATENTE": "007", "U_OLD": "x", "Series": "71"}
    plain = body_of(planning(line(1, part())))
    body = body_of(planning(line(1, part()), header={"return_fields": answers}), fields=fields)
    assert body == {
        **plain,
        "Indicator": "52",
        "U_PESO": Decimal("1.50"),
        "U_BULTOS": 3,
        "U_PATENTE": "007",
    }
    numbered = planning(line(1, part()), header={"return_fields": {"U_BULTOS": "tres"}})
    assert body_of(numbered, fields=fields)["U_BULTOS"] == "tres", "the ERP says what is wrong with it"


def test_settings_cannot_replace_fields_that_the_service_fills_in() -> None:
    header = {"series": 71}
    assert set(body_of(planning(line(1, part()), header=header), document(branch=3))) == OWN_NAMES


def test_a_planning_without_answers_keeps_its_digest() -> None:
    before = "d5281302d160b1624f0b818045bc9452160c60992ab843d3423d8659f03ca072"
    fields = ReturnFields(custom=(CustomField(name="U_PATENTE", label="Patente"),))
    nothing: tuple[dict[str, str] | None, ...] = (None, {})
    for answers in nothing:
        custom = planning(line(1, part(2), part(3, doc_id=2)), header={"return_fields": answers})
        assert write_return(custom, document(), fields).digest == before
    with_values = planning(line(1, part(2), part(3, doc_id=2)), header={"return_fields": {"U_PATENTE": "A"}})
    assert write_return(with_values, document(), fields).digest != before


def test_parts_of_one_receipt_line_become_one_line_that_batches_refer_to() -> None:
    parts = (
        part(2, batch="L1", position=1, document=Decimal("0.5")),
        part(3, batch="L2", position=1, document=Decimal("0.75")),
        part(1, batch="L1", position=1, document=Decimal("0.25")),
    )
    body = body_of(planning(line(1, *parts), line(2, part(1, item="B", serial="S1"))))
    serial, batched = body["DocumentLines"]
    assert batched["Quantity"] == Decimal("1.5")
    assert batched["BatchNumbers"] == [
        {"BatchNumber": "L1", "Quantity": 3, "BaseLineNumber": 1},
        {"BatchNumber": "L2", "Quantity": 3, "BaseLineNumber": 1},
    ]
    assert serial["SerialNumbers"] == [{"InternalSerialNumber": "S1", "Quantity": 1, "BaseLineNumber": 0}]
    assert "BatchNumbers" not in serial
    v2 = body_of(planning(line(1, *parts)), fields=ReturnFields(batch_number="BatchNumberProperty"))
    assert v2["DocumentLines"][0]["BatchNumbers"][0]["BatchNumberProperty"] == "L1"


def test_a_body_has_only_its_own_lines_and_equal_plannings_have_equal_digests() -> None:
    one = planning(line(1, part(2), part(3, doc_id=2)))
    first = write_return(one, document(), ReturnFields())
    assert [each["Quantity"] for each in json.loads(first.content)["DocumentLines"]] == [2]
    assert write_return(attrs.evolve(one, version=9), document(), ReturnFields()).digest == first.digest
    assert len(first.digest) == 64
    assert write_return(one, document(key="other"), ReturnFields()).digest != first.digest
