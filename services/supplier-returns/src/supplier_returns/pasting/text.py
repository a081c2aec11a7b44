"""From the text of a clipboard to the lines that a person asks to return.

A row that can't be read becomes a problem that names row, column and value; it never fails the whole text.
Row numbers are those of the spreadsheet text: 1-based, header included. Cells repeat a lot, so each different
code and each different quantity is judged once.
"""

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Any

import msgspec
from attrs import define, field, frozen

from supplier_returns.pasting.cells import split_rows, unify_line_ends
from supplier_returns.pasting.columns import Column, Layout, find_layout
from supplier_returns.pasting.numbers import (
    NumberFormat,
    NumberProblem,
    NumberText,
    Style,
    decimals_of,
    find_proof,
    parse_number,
    shown,
)

_DAMAGED = re.compile(r"[+-]?[0-9][.,][0-9]+[eE][+-]?[0-9]+")
_SPREADSHEET_ERROR = re.compile(
    r"#(?:N/[AD]|[¡!]?[A-ZÁÉÍÓÚÑ0-9/]+[?!])|VERDADERO|FALSO|TRUE|FALSE", re.IGNORECASE
)
_TOTALS = frozenset({"total", "totales", "subtotal", "sub total", "suma", "total general", "grand total"})

_TEXTS = {
    "code_missing": "Falta el código del artículo.",
    "totals_row": "Parece una fila de totales; no se leyó.",
    "code_too_long": "El código es más largo que los del ERP.",
    "code_invalid": "El código tiene caracteres invisibles o ilegibles; vuelva a escribirlo.",
    "code_damaged": "La planilla cambió el código a notación científica; dele formato de texto a la columna.",
    "code_is_an_error": "La celda tiene un error o un valor lógico, no un código.",
}


DOUBTS = frozenset({"totals_row", "code_invalid", "code_damaged", "code_is_an_error"})
"""Faults of what looks like something else than a code, and is one where the ERP has an item of that name."""


def fault_of(code: str, max_length: int) -> tuple[str, str] | None:
    """Return why ``code`` is no item code, as a stable word and a Spanish sentence; None if it may be one.

    ``totals_row`` is the one fault that is no mistake of the person: the row is a sum and is left out.
    """
    tests = {
        "code_missing": not code,
        "totals_row": code.casefold().rstrip(" :") in _TOTALS,
        "code_too_long": len(code) > max_length,
        "code_invalid": not code.isprintable() or "\ufffd" in code,
        "code_damaged": _DAMAGED.fullmatch(code) is not None,
        "code_is_an_error": _SPREADSHEET_ERROR.fullmatch(code) is not None,
    }
    return next(((word, _TEXTS[word]) for word, is_so in tests.items() if is_so), None)


class PasteRefusedError(Exception):
    """The paste as a whole can't be used.

    Attributes:
        code: ``unreadable_paste``, ``paste_too_large`` or what is wrong with the body.
        message: The reason in Spanish, for the person who pasted.
        problems: Of single fields of the body, as the reader of the body has them.
    """

    def __init__(self, code: str, message: str, problems: Sequence[Any] = ()) -> None:
        super().__init__(code, message, problems)  # so that it can be sent between processes
        self.code = code
        self.message = message
        self.problems = problems


@frozen
class PasteLimits:
    """How much one paste may hold."""

    rows: int = 50_000
    columns: int = 50
    items: int = 2_000
    code_length: int = 50
    text_length: int = 254


@frozen
class PasteRules:
    """What a paste is read against.

    Attributes:
        whs_code: The warehouse of the planning; a row that names another one is a problem.
        number_format: How ambiguous quantities are read where the column doesn't tell.
        decimals: Decimals that the ERP keeps for quantities.
        known_codes: Codes that the ERP has although they look like something else; spelled as in the text.
    """

    whs_code: str
    number_format: NumberFormat = NumberFormat.AUTO
    decimals: int = 6
    known_codes: AbstractSet[str] = frozenset()
    limits: PasteLimits = PasteLimits()


class CellNote(msgspec.Struct, frozen=True, gc=False):
    """A problem or a warning about one cell, written as it goes over the wire.

    Attributes:
        row: 1-based row of the text.
        column: Its name on the wire, or None if the note is about the whole row.
        value: What stands there, shortened for showing.
        code: Stable snake_case word.
        message: Spanish text for the person.
    """

    row: int = msgspec.field(name="fila")
    column: str | None = msgspec.field(name="columna")
    value: str = msgspec.field(name="valor")
    code: str
    message: str


class RequestedLine(msgspec.Struct, gc=False):
    """What is asked back of one item (and for one reason); rows of the same kind are added up."""

    item_code: str
    quantity: Decimal
    reason: str | None = None
    rows: list[int] = msgspec.field(default_factory=list)


@frozen
class PastedTable:
    """All that a paste says.

    Attributes:
        columns: 0-based position of each recognised column, by its name on the wire.
        has_header: Whether a header row was found.
        rows_read: Rows that hold anything, header and titles excluded.
        rows_empty: Rows of empty cells only.
        lines: What is asked, in order of first appearance.
        problems: Rows left out, each with its reason.
        warnings: What was read but deserves a look.
        doubted_codes: Cells left out that would be codes if the ERP had items of these names.
    """

    columns: dict[str, int]
    has_header: bool
    rows_read: int
    rows_empty: int
    lines: list[RequestedLine]
    problems: list[CellNote]
    warnings: list[CellNote]
    doubted_codes: tuple[str, ...] = ()


MAX_SHOWN_VALUE = 60

_ZERO_WIDTH = (
    "\ufeff\u200b\u200c\u200d\u2060\u00ad"
    "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # of writing direction
)
_ODD_BLANKS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2007": " "})
_BLANKS = " \t\r\n\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029"
_NEEDS_CLEANING = re.compile(
    f"[\u00a0\u202f\u2007{_ZERO_WIDTH}\x0b\x0c\x1c-\x1f\x85\u2028\u2029]|(?:^|[\t\n]) | (?:[\t\n]|$)"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffd]")
_QUANTITY_TEXTS: dict[NumberProblem, str] = {
    NumberProblem.EMPTY: "Falta la cantidad.",
    NumberProblem.NOT_A_NUMBER: "La cantidad no es un número.",
    NumberProblem.SIGN: "La cantidad no puede llevar signo.",
    NumberProblem.ZERO: "La cantidad debe ser mayor que cero.",
    NumberProblem.EXPONENT: "La cantidad está en notación científica; dele formato de número a la columna.",
    NumberProblem.PERCENT_OR_CURRENCY: "La cantidad lleva un porcentaje o una moneda.",
    NumberProblem.GROUPING: "Los separadores de la cantidad no corresponden a ningún número.",
    NumberProblem.TOO_LARGE: "La cantidad es demasiado grande.",
    NumberProblem.DECIMALS: "La cantidad tiene más decimales de los que guarda el ERP.",
}

_NO_QUANTITY = (NumberProblem.EMPTY, NumberProblem.NOT_A_NUMBER)


def parse_paste(text: str, rules: PasteRules) -> PastedTable:
    """Read a pasted table.

    Raises:
        PasteRefusedError: ``unreadable_paste`` without a recognisable code column, ``paste_too_large`` over a
            limit.
    """
    text = unify_line_ends(text.removeprefix("\ufeff"))
    rows = split_rows(text, max_rows=rules.limits.rows, max_columns=rules.limits.columns)
    _check_size(rows, rules.limits)
    if '"' in text or _NEEDS_CLEANING.search(text) is not None:
        rows = [[clean_cell(cell) for cell in row] for row in rows]
    layout = find_layout(rows)
    _check_layout(layout, rows)
    return _Reader(rows, layout, rules).read()


def clean_cell(cell: str) -> str:
    """Turn odd blanks into blanks and take blanks and invisible characters off both ends; the inside stays as
    it is."""
    return cell.translate(_ODD_BLANKS).strip(_BLANKS + _ZERO_WIDTH)


def _check_size(rows: Sequence[Sequence[str]], limits: PasteLimits) -> None:
    if len(rows) > limits.rows:
        raise PasteRefusedError(
            "paste_too_large", f"El texto tiene más de {limits.rows} filas; péguelo por partes."
        )
    if any(len(row) > limits.columns for row in rows):
        raise PasteRefusedError("paste_too_large", f"El texto tiene más de {limits.columns} columnas.")


def _check_layout(layout: Layout, rows: Sequence[Sequence[str]]) -> None:
    if layout.repeated is not None:
        message = f"Hay dos columnas que dicen «{layout.repeated.value}»; deje solo una."
    elif Column.CODE not in layout.positions:
        message = "No se encontró una columna con el código del artículo."
    elif Column.QUANTITY not in layout.positions:
        message = "No se encontró una columna con la cantidad."
    elif layout.header_row is None and not _second_column_counts(rows):
        message = (
            "No se reconoce una tabla: pegue una columna con el código del artículo y otra con la cantidad."
        )
    else:
        return
    raise PasteRefusedError("unreadable_paste", message)


def _second_column_counts(rows: Sequence[Sequence[str]]) -> bool:
    """Whether somebody meant quantities there; what is wrong with each is told of its row."""
    return any(len(row) > 1 and parse_number(row[1]) not in _NO_QUANTITY for row in rows)


@frozen
class _Quantity:
    """How one quantity text is read: a value above zero, or a fault."""

    value: Decimal = Decimal(0)
    fault: NumberProblem | None = None
    is_guess: bool = False


@define
class _Reader:
    rows: list[list[str]]
    layout: Layout
    rules: PasteRules
    problems: list[CellNote] = field(factory=list)
    warnings: list[CellNote] = field(factory=list)
    lines: dict[tuple[str, str], RequestedLine] = field(factory=dict)
    doubted_codes: tuple[str, ...] = ()
    contradiction: str | None = None
    """The first quantity that is not written in the format that the person chose."""

    def read(self) -> PastedTable:
        first = 0 if self.layout.header_row is None else self.layout.header_row + 1
        body = self.rows[first:]
        self._note_rows_above_header()
        self._note_ignored_columns(first)
        rows_read = self._read_body(body, first + 1)
        self._check_items()
        return PastedTable(
            columns={column.value: position for column, position in self.layout.positions.items()},
            has_header=self.layout.header_row is not None,
            rows_read=rows_read,
            rows_empty=len(body) - rows_read,
            lines=list(self.lines.values()),
            problems=self.problems,
            warnings=self.warnings,
            doubted_codes=self.doubted_codes,
        )

    def _read_body(self, body: Sequence[list[str]], first_row: int) -> int:
        """Read every row; return how many were not empty."""
        code_at = self.layout.positions[Column.CODE]
        quantity_at = self.layout.positions[Column.QUANTITY]
        max_length = self.rules.limits.code_length
        codes = dict.fromkeys(cells[code_at] if code_at < len(cells) else "" for cells in body)
        known = self.rules.known_codes
        code_faults = {code: None if code in known else fault_of(code, max_length) for code in codes}
        self.doubted_codes = tuple(
            code for code, fault in code_faults.items() if fault and fault[0] in DOUBTS
        )
        quantities = self._judge_quantities(
            cells[quantity_at] if quantity_at < len(cells) else "" for cells in body
        )
        warehouse_at = self.layout.positions.get(Column.WAREHOUSE)
        reason_at = self.layout.positions.get(Column.REASON)
        rows_read = 0
        for row, cells in enumerate(body, start=first_row):
            code = cells[code_at] if code_at < len(cells) else ""
            if not code and not any(cells):
                continue
            rows_read += 1
            text = cells[quantity_at] if quantity_at < len(cells) else ""
            if text == self.contradiction:
                self._note_contradiction(row, text)
            fault = code_faults[code]
            if fault is not None:
                self._note_code(row, code, fault)
                continue
            if warehouse_at is not None and not self._is_right_warehouse(row, cells):
                continue
            quantity = quantities[text]
            if quantity.fault is not None:
                message = _QUANTITY_TEXTS[quantity.fault]
                self.problems.append(_note(row, Column.QUANTITY, text, quantity.fault.value, message))
                continue
            if quantity.is_guess:
                self._note_guess(row, text, quantity.value)
            reason = cells[reason_at] if reason_at is not None and reason_at < len(cells) else ""
            line = self.lines.get((code, reason))
            if line is None:
                self.lines[code, reason] = RequestedLine(
                    code, quantity.value, self._reason(row, reason), [row]
                )
            else:
                line.quantity += quantity.value
                line.rows.append(row)
        return rows_read

    def _judge_quantities(self, texts: Iterable[str]) -> dict[str, _Quantity]:
        """Judge each different text once; those of rows that are left out show the column's style too.

        Where no number does, a zero or a signed one does: less sure, since somebody typed it wrong.
        """
        numbers = {text: parse_number(text) for text in dict.fromkeys(texts)}
        sure = [text for text, number in numbers.items() if isinstance(number, NumberText) and number.proves]
        proven = {text: style for text in sure or numbers if (style := find_proof(text)) is not None}
        proofs = set(proven.values())
        proof = proofs.pop() if len(proofs) == 1 else None
        chosen = self.rules.number_format
        if chosen is not NumberFormat.AUTO:
            self.contradiction = next((t for t, style in proven.items() if style.value != chosen.value), None)
        style = proof or (Style.POINT_DECIMALS if chosen is NumberFormat.ENGLISH else Style.COMMA_DECIMALS)
        guesses = proof is None and chosen is NumberFormat.AUTO
        return {text: self._judge(number, style, guesses=guesses) for text, number in numbers.items()}

    def _judge(self, number: NumberText | NumberProblem, style: Style, *, guesses: bool) -> _Quantity:
        if isinstance(number, NumberProblem):
            return _Quantity(fault=number)
        value = number.value(style)
        if decimals_of(value) > self.rules.decimals:
            return _Quantity(fault=NumberProblem.DECIMALS)
        return _Quantity(value, is_guess=guesses and number.is_ambiguous)

    def _is_right_warehouse(self, row: int, cells: Sequence[str]) -> bool:
        position = self.layout.positions[Column.WAREHOUSE]
        warehouse = cells[position] if position < len(cells) else ""
        if not warehouse or warehouse.casefold() == self.rules.whs_code.casefold():
            return True
        text = f"La fila es de otra bodega; la planificación es de «{self.rules.whs_code}»."
        self.problems.append(_note(row, Column.WAREHOUSE, warehouse, "other_warehouse", text))
        return False

    def _reason(self, row: int, reason: str) -> str | None:
        longest = self.rules.limits.text_length
        if len(reason) > longest:
            message = f"El texto se cortó a {longest} caracteres."
            self.warnings.append(_note(row, Column.REASON, reason, "text_cut", message))
        return _CONTROL.sub(" ", reason[:longest]) or None

    def _note_code(self, row: int, code: str, fault: tuple[str, str]) -> None:
        notes = self.warnings if fault[0] == "totals_row" else self.problems
        notes.append(_note(row, Column.CODE, code, *fault))

    def _note_guess(self, row: int, text: str, value: Decimal) -> None:
        message = (
            f"«{text}» se leyó como {shown(value)}, con la coma como separador decimal; "
            "si no es así, elija el formato de los números."
        )
        self.warnings.append(_note(row, Column.QUANTITY, text, "quantity_ambiguous", message))

    def _note_contradiction(self, row: int, text: str) -> None:
        self.contradiction = None
        message = (
            f"«{text}» no está escrito en el formato de números elegido; "
            "la columna se leyó como muestran sus celdas: revise las cantidades."
        )
        self.warnings.append(_note(row, Column.QUANTITY, text, "number_format_contradicted", message))

    def _note_rows_above_header(self) -> None:
        for index in range(self.layout.header_row or 0):
            if any(self.rows[index]):
                text = " ".join(filter(None, self.rows[index]))
                message = "La fila está sobre el encabezado; no se leyó."
                self.warnings.append(_note(index + 1, None, text, "row_above_header", message))

    def _note_ignored_columns(self, first: int) -> None:
        read = {
            position for column, position in self.layout.positions.items() if column is not Column.COMMENT
        }
        widest = max(map(len, self.rows), default=0)
        ignored = [
            position
            for position in range(widest)
            if position not in read and any(position < len(cells) and cells[position] for cells in self.rows)
        ]
        if ignored:
            numbers = ", ".join(str(position + 1) for position in ignored)
            message = f"No se leyeron las columnas {numbers}."
            self.warnings.append(_note(max(first, 1), None, numbers, "columns_ignored", message))

    def _check_items(self) -> None:
        items, limit = len({code for code, _ in self.lines}), self.rules.limits.items
        if items > limit:
            raise PasteRefusedError(
                "paste_too_large", f"El texto tiene {items} artículos; se aceptan hasta {limit}."
            )


def _note(row: int, column: Column | None, value: str, code: str, message: str) -> CellNote:
    value = _CONTROL.sub(" ", value)
    if len(value) > MAX_SHOWN_VALUE:
        value = value[: MAX_SHOWN_VALUE - 1] + "…"
    return CellNote(row, column and column.value, value, code, message)
