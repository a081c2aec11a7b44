"""Records that are written to the ERP are read back unchanged."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from servicekit.endpoint.shapes import unstructure
from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.lines import Allocation, PlanningLine
from supplier_returns.planning.model.planning import Planning, PlanningHeader
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.states import DocumentState, LineState, PlanningState
from supplier_returns.planning.model.warehouse import Management
from supplier_returns.planning.records.reading import read_planning, read_plannings
from supplier_returns.planning.records.record_list import UnreadableRecordError
from supplier_returns.planning.records.rows import MAX_ROWS_TEXT
from supplier_returns.planning.records.summaries import read_summaries
from supplier_returns.planning.records.writing import write_header, write_planning
from supplier_returns.planning.responses import detail_json, list_row_of

DAY = date(2026, 3, 4)
STATES = [state for state in PlanningState if state not in (PlanningState.CLOSED, PlanningState.UNREADABLE)]
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12)
quantities = st.decimals(min_value=0, max_value=10**6, places=3).map(
    lambda number: number.normalize() if number % 1 else number.quantize(Decimal(1))
)
words = st.none() | texts
NO_CODES: st.SearchStrategy[frozenset[str]] = st.just(frozenset())
numbers = st.integers(1, 10**6)


@st.composite
def plannings(draw: st.DrawFn) -> Planning:
    has_warning_codes = draw(st.booleans())
    codes = st.frozensets(st.sampled_from(["plan_cambiado", "copias=1,2"])) if has_warning_codes else NO_CODES
    documents = tuple(
        SupplierDocument(
            doc_id=doc_id,
            card_code=draw(texts),
            name=draw(texts),
            tax_id=draw(texts),
            currency=draw(st.sampled_from(["CLP", "USD"])),
            branch=draw(st.none() | numbers),
            part=draw(numbers),
            line_count=draw(numbers),
            total=draw(quantities),
            state=draw(st.sampled_from(DocumentState)),
            key=draw(st.just("") | texts),
            payload_hash=draw(st.just("") | texts),
            attempts=draw(st.integers(0, 9)),
            last_attempt=draw(st.just("") | texts),
            error_class=draw(words),
            error_code=draw(words),
            message=draw(words),
            warnings=draw(codes),
            doc_entry=draw(st.none() | numbers),
            doc_num=draw(st.none() | numbers),
            folio=draw(st.none() | numbers),
        )
        for doc_id in draw(st.lists(st.integers(1, 9), unique=True, min_size=1, max_size=3).map(sorted))
    )
    lines = tuple(
        _line(draw, line_id, documents)
        for line_id in draw(st.lists(st.integers(1, 9), unique=True, max_size=3))
    )
    return Planning(
        id=draw(numbers),
        number=draw(numbers),
        state=draw(st.sampled_from(STATES)),
        version=draw(numbers),
        header=PlanningHeader(
            whs_code=draw(texts),
            posting_date=draw(st.dates()),
            document_date=draw(st.dates()),
            series=draw(st.none() | numbers),
            transfer_kind=draw(st.sampled_from("123456789")),
            dispatch_kind=draw(st.none() | st.sampled_from("123")),
            reason=draw(words),
            comment=draw(words),
            max_lines=draw(st.integers(1, 60)),
            decimals=draw(st.none() | st.integers(0, 6)),
            has_bins=draw(st.none() | st.booleans()),
            return_fields=draw(st.none() | st.dictionaries(texts, texts, max_size=3)),
        ),
        lines=lines,
        documents=documents,
        created_by=draw(texts),
        digest=draw(st.just("") | texts),
        has_warning_codes=has_warning_codes,
    )


def _line(draw: st.DrawFn, line_id: int, documents: tuple[SupplierDocument, ...]) -> PlanningLine:
    item_code = draw(texts)
    return PlanningLine(
        line_id=line_id,
        item_code=item_code,
        quantity=draw(quantities),
        name=draw(texts),
        unit=draw(texts),
        stock=draw(quantities),
        no_stock=draw(quantities),
        no_receipt=draw(quantities),
        indivisible=draw(quantities),
        management=draw(st.sampled_from(Management)),
        reason=draw(words),
        excluded=draw(st.booleans()),
        card_code=draw(words),
        state=draw(st.sampled_from(LineState)),
        message=draw(words),
        rows=tuple(draw(st.lists(numbers, max_size=5))),
        allocations=tuple(
            _allocation(draw, item_code, document)
            for document in draw(st.lists(st.sampled_from(documents), max_size=3))
        ),
    )


def _allocation(draw: st.DrawFn, item_code: str, document: SupplierDocument) -> Allocation:
    factor = draw(st.sampled_from([Decimal(1), Decimal(12), Decimal("0.5")]))
    inventory = draw(quantities)
    receipt = OpenReceiptLine(
        doc_entry=draw(numbers),
        line_num=draw(st.integers(0, 99)),
        doc_date=draw(st.dates()),
        item_code=item_code,
        card_code=document.card_code,
        currency=document.currency,
        branch=document.branch,
        open_inventory=inventory,
        open_document=inventory / factor,
        factor=factor,
        doc_num=draw(numbers),
        supplier_reference=draw(st.just("") | texts),
        supplier_name=document.name,
        supplier_tax_id=document.tax_id,
        price=draw(quantities),
        tax_code=draw(st.just("") | texts),
    )
    return Allocation(
        receipt,
        draw(quantities),
        draw(quantities),
        doc_id=document.doc_id,
        position=draw(st.integers(0, 59)),
        batch=draw(words),
        serial=draw(words),
    )


def stored(planning: Planning, **native: object) -> bytes:
    own = {"DocEntry": planning.id, "DocNum": planning.number, "Status": "O", "Canceled": "N"}
    return json.dumps({**json.loads(write_planning(planning)), **own, **native}).encode()


@given(plannings())
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_a_planning_is_read_back_unchanged(planning: Planning) -> None:
    assert read_planning(stored(planning), UTC) == planning


def test_field_values_are_one_text_and_omitted_if_there_are_none() -> None:
    header = attrs.evolve(PLAIN.header, return_fields={"U_PATENTE": "ABCD12"})
    with_values = attrs.evolve(PLAIN, header=header)
    assert json.loads(write_header(with_values))["U_CamposDev"] == '{"U_PATENTE":"ABCD12"}'
    assert "U_CamposDev" not in json.loads(write_header(PLAIN))
    assert read_planning(stored(PLAIN, U_CamposDev=None), UTC) == PLAIN
    with pytest.raises(UnreadableRecordError):
        read_planning(stored(PLAIN, U_CamposDev='{"U_PATENTE":1}'), UTC)


@given(plannings())
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_every_row_has_its_number_and_all_fields(planning: Planning) -> None:
    record = json.loads(write_planning(planning))
    for name in ("LIB_DEV1Collection", "LIB_DEV2Collection", "LIB_DEV3Collection"):
        rows = record[name]
        assert len({row["LineId"] for row in rows}) == len(rows)
        assert len({tuple(sorted(row)) for row in rows}) <= 1


@given(plannings())
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_empty_texts_are_sent_as_null(planning: Planning) -> None:
    record = json.loads(write_planning(planning))
    rows = [row for value in record.values() if isinstance(value, list) for row in value]
    assert all(value != "" for row in [record, *rows] for value in row.values())
    assert json.loads(write_header(planning)).items() <= json.loads(write_planning(planning)).items()


@given(plannings())
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_a_list_shows_the_values_of_the_record(planning: Planning) -> None:
    (row,) = read_summaries(b"[" + stored(planning) + b"]", UTC)
    assert (row.id, row.state, row.created_by) == (planning.id, planning.state, planning.created_by)
    assert row.line_count == len(planning.lines)


PLAIN = Planning(
    id=1,
    number=1,
    header=PlanningHeader(whs_code="01", posting_date=DAY, document_date=DAY, max_lines=60),
    lines=(),
    documents=(),
    created_by="bodega",
)


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("11:05:09", datetime(2026, 3, 4, 14, 5, 9, tzinfo=UTC)),
        (1105, datetime(2026, 3, 4, 14, 5, tzinfo=UTC)),
        (5, datetime(2026, 3, 4, 3, 5, tzinfo=UTC)),
        (None, datetime(2026, 3, 4, 3, 0, tzinfo=UTC)),
    ],
)
def test_the_time_of_creation_is_read_in_every_form(clock: object, expected: datetime) -> None:
    body = stored(PLAIN, CreateDate="2026-03-04T00:00:00Z", CreateTime=clock)
    assert read_planning(body, ZoneInfo("America/Santiago")).created_at == expected


def test_a_record_without_a_creation_date_has_no_creation_time() -> None:
    assert read_planning(stored(PLAIN), UTC).created_at is None


def test_a_long_text_of_row_numbers_is_cut_after_a_number() -> None:
    rows = tuple(range(1, 500))
    line = PlanningLine(line_id=1, item_code="A", quantity=Decimal(1), rows=rows)
    text = json.loads(write_planning(attrs.evolve(PLAIN, lines=(line,))))["LIB_DEV1Collection"][0]["U_Filas"]
    assert len(text) <= MAX_ROWS_TEXT
    assert text.endswith(",…")
    stored_rows = read_planning(stored(attrs.evolve(PLAIN, lines=(line,))), UTC).lines[0].rows
    assert stored_rows == rows[: len(stored_rows)]
    assert len(stored_rows) > 50


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"DocEntry": "x"}', b'{"DocEntry": null, "U_WhsCode": "01"}']
)
def test_an_invalid_record_is_refused(body: bytes) -> None:
    with pytest.raises(UnreadableRecordError):
        read_planning(body, UTC)
    with pytest.raises(UnreadableRecordError):
        read_summaries(b"[" + body + b"]" if body else b"", UTC)


def test_an_invalid_list_is_refused() -> None:
    for body in (b"", b"{}", b"[1", b"[7]", b"[{}]"):
        with pytest.raises(UnreadableRecordError):
            read_plannings(body, UTC)


DECODE_ERRORS: dict[str, Any] = {
    "U_Fecha": None,
    "U_WhsCode": None,
    "U_Estado": "?",
    "CreateDate": "ayer",
    "CreateTime": "99:99:99",
    "Status": 7,
    "Canceled": [],
    "U_UsrCrea": 4,
    "U_TotLin": "muchas",
    "U_TotDoc": {},
    "U_TotOk": 1.5,
    "U_TotErr": True,
    "DocNum": "x",
}


@pytest.mark.parametrize("name", DECODE_ERRORS)
def test_a_list_keeps_the_readable_fields_of_a_damaged_record(name: str) -> None:
    native = {"CreateDate": "2026-03-04", "CreateTime": "11:05:00", "U_TotLin": 3}
    good, spoiled = (stored(PLAIN, **{**native, **further}) for further in ({}, {name: DECODE_ERRORS[name]}))
    before, after = read_summaries(b"[" + good + b"," + spoiled + b"]", UTC)
    assert before.state is PlanningState.PLANNED
    assert after.state is PlanningState.UNREADABLE
    changed = {
        each.name
        for each in attrs.fields(type(after))
        if getattr(after, each.name) != getattr(before, each.name)
    }
    attribute = {
        "U_Fecha": {"posting_date"},
        "U_WhsCode": {"whs_code"},
        "CreateDate": {"created_at"},
        "CreateTime": {"created_at"},
        "U_UsrCrea": {"created_by"},
        "U_TotLin": {"line_count"},
    }
    assert changed == {"state"} | attribute.get(name, set())
    assert None in (after.posting_date, after.whs_code, after.created_at) or name not in (
        "U_Fecha",
        "U_WhsCode",
        "CreateDate",
        "CreateTime",
    )


ANYTHING: list[Any] = [
    *(None, True, 0, -1, 7, 2**31, 10**19, 0.5, 1e-300, -1e300, 1e300),
    *("", "x", "Y", "7", "NaN", "-Infinity", "1e400", "0001-01-01", "9999-12-31", "2026-02-30"),
    *([], {}, [[1]], [{"a": None}]),
]
WHOLE = attrs.evolve(
    PLAIN,
    documents=(
        SupplierDocument(
            doc_id=1,
            card_code="P1",
            name="P",
            tax_id="7-K",
            currency="CLP",
            branch=1,
            part=1,
            line_count=1,
            total=Decimal(9),
        ),
    ),
    lines=(
        PlanningLine(
            line_id=1,
            item_code="A",
            quantity=Decimal(9),
            allocations=(
                Allocation(
                    OpenReceiptLine(1, 0, DAY, "A", "P1", "CLP", 1, Decimal(9), Decimal(9)),
                    Decimal(9),
                    Decimal(9),
                    doc_id=1,
                    batch="L",
                ),
            ),
        ),
    ),
)
ROWS = ("LIB_DEV1Collection", "LIB_DEV2Collection", "LIB_DEV3Collection")


@pytest.mark.parametrize("where", [None, *ROWS])
def test_any_record_is_decoded_or_unreadable(
    where: str | None,
) -> None:
    whole = stored(WHOLE, CreateDate="2026-03-04", CreateTime="11:05:00")
    for name in json.loads(whole)[where][0] if where else json.loads(whole).keys() - {"DocEntry"}:
        for value in ANYTHING:
            record = json.loads(whole)
            (record[where][0] if where else record)[name] = value
            body = json.dumps(record).encode()
            (row,) = read_summaries(b"[" + body + b"]", ZoneInfo("America/Santiago"))
            assert row.id == WHOLE.id
            json.dumps(unstructure(list_row_of(row)), default=str)
            found = read_plannings(b"[" + body + b"]", ZoneInfo("America/Santiago"))
            try:
                read = read_planning(body, ZoneInfo("America/Santiago"))
            except UnreadableRecordError:
                assert found == [], (name, value)
            else:
                assert found == [read]
                try:
                    assert json.loads(detail_json(read))["id"] == WHOLE.id
                    if read.is_open:
                        write_planning(read)
                except ArithmeticError as error:
                    pytest.fail(f"{name} {value!r}: {error!r}")
