"""From the text of a clipboard to the lines that a person asks to return.

A row that can't be read becomes a problem that names row, column and value; it never fails the whole text.
Row numbers are those of the spreadsheet text: 1-based, header included. Cells repeat a lot, so each different
code and each different quantity is judged once.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Any

import msgspec
from attrs import define, field, frozen

from supplier_returns.pasting.cells import split_rows, unify_line_ends
from supplier_returns.pasting.column_cells import cell_at, filled_columns
from supplier_returns.pasting.columns import Column, Layout, UnknownColumns
from supplier_returns.pasting.header_words import is_title
from supplier_returns.pasting.headers import fits, is_header
from supplier_returns.pasting.layouts import find_layout, requested_layout
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
from supplier_returns.pasting.proposals import propose_columns
from supplier_returns.pasting.requested_columns import check_requested

_DAMAGED = re.compile(r"[+-]?[0-9][.,][0-9]+[eE][+-]?[0-9]+")
_SPREADSHEET_ERROR = re.compile(
    r"#(?:N/[AD]|[¡!]?[A-ZÁÉÍÓÚÑ0-9/]+[?!])|VERDADERO|FALSO|TRUE|FALSE", re.IGNORECASE
)
_TOTALS = frozenset({"total", "totales", "subtotal", "sub total", "suma", "total general", "grand total"})

_TEXTS = {
    "code_missing": "Falta el código del artículo de la cantidad «{quantity}».",
    "totals_row": "«{item}» parece una fila de totales; no se leyó.",
    "code_too_long": "El código «{item}» es más largo que los del ERP.",
    "code_invalid": "El código «{item}» tiene caracteres invisibles o ilegibles; vuelva a escribirlo.",
    "code_damaged": (
        "La planilla cambió el código «{item}» a notación científica; dele formato de texto a la columna."
    ),
    "code_is_an_error": "«{item}» es un error o un valor lógico de la planilla, no un código.",
}


DOUBTS = frozenset({"totals_row", "code_invalid", "code_damaged", "code_is_an_error"})
"""Faults of what looks like something else than a code, and is one where the ERP has an item of that name."""


def fault_of(code: str, max_length: int) -> tuple[str, str] | None:
    """Return why ``code`` is no item code, as a stable word and a Spanish text; None if it may be one.

    The text has places for ``{item}`` and ``{quantity}``.

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
        code: ``columns_unknown``, ``unreadable_paste``, ``paste_too_large`` or what is wrong with the body.
        message: The reason in Spanish, for the person who pasted.
        problems: Of single fields of the body, as the reader of the body has them.
        members: Further members of the answer.
    """

    def __init__(
        self,
        code: str,
        message: str,
        problems: Sequence[Any] = (),
        members: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(code, message, problems, members)  # so that it can be sent between processes
        self.code = code
        self.message = message
        self.problems = problems
        self.members = members


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
        columns: 0-based position of each column, None to recognize them.
    """

    whs_code: str
    number_format: NumberFormat = NumberFormat.AUTO
    decimals: int = 6
    known_codes: AbstractSet[str] = frozenset()
    columns: Mapping[Column, int] | None = None
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
"""Longest value that a note, or the answer to an unknown table, shows."""

SHOWN_ROWS = 5
"""Rows of a table that are shown when its columns are unknown."""

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
    NumberProblem.EMPTY: "Falta la cantidad de «{item}».",
    NumberProblem.NOT_A_NUMBER: "La cantidad «{value}» de «{item}» no es un número.",
    NumberProblem.SIGN: "La cantidad «{value}» de «{item}» no puede llevar signo.",
    NumberProblem.ZERO: "La cantidad «{value}» de «{item}» debe ser mayor que cero.",
    NumberProblem.EXPONENT: (
        "La cantidad «{value}» de «{item}» está en notación científica; dele formato de número a la columna."
    ),
    NumberProblem.PERCENT_OR_CURRENCY: "La cantidad «{value}» de «{item}» lleva un porcentaje o una moneda.",
    NumberProblem.GROUPING: (
        "Los separadores de la cantidad «{value}» de «{item}» no corresponden a ningún número."
    ),
    NumberProblem.TOO_LARGE: "La cantidad «{value}» de «{item}» es demasiado grande.",
    NumberProblem.DECIMALS: "La cantidad «{value}» de «{item}» tiene más decimales de los que guarda el ERP.",
}


def parse_paste(text: str, rules: PasteRules) -> PastedTable:
    """Read a pasted table.

    Raises:
        PasteRefusedError: ``columns_unknown`` if the code and quantity columns are not certain,
            ``unreadable_paste`` if there are no two columns, ``paste_too_large`` over a limit.
        RequestedColumnsError: The table doesn't have the requested columns.
    """
    text = unify_line_ends(text.removeprefix("\ufeff"))
    rows = split_rows(text, max_rows=rules.limits.rows, max_columns=rules.limits.columns)
    _check_size(rows, rules.limits)
    if '"' in text or _NEEDS_CLEANING.search(text) is not None:
        rows = [[clean_cell(cell) for cell in row] for row in rows]
    return read_table(rows, rules)


def read_table(rows: list[list[str]], rules: PasteRules) -> PastedTable:
    """Read a table of cleaned cells, whatever they were cut from.

    Raises:
        PasteRefusedError: As `parse_paste` does, but for the limits of rows and columns.
        RequestedColumnsError: Likewise.
    """
    if rules.columns is not None:
        check_requested(rules.columns, max(map(len, rows), default=0))
        return _Reader(rows, requested_layout(rows, rules.columns), rules).read()
    layout = find_layout(rows)
    if isinstance(layout, UnknownColumns):
        raise _refusal_of(layout, rows)
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


def _refusal_of(unknown: UnknownColumns, rows: Sequence[Sequence[str]]) -> PasteRefusedError:
    if len(filled_columns(rows)) < 2:  # noqa: PLR2004 - with one column there is nothing to choose
        message = (
            "No se reconoce una tabla: pegue una columna con el código del artículo y otra con la cantidad."
        )
        return PasteRefusedError("unreadable_paste", message)
    filled = [row for row in rows if any(row)]
    members = {
        "filas": [[_shortened(cell) for cell in row] for row in filled[:SHOWN_ROWS]],
        "columnas": [
            {"indice": each.index, "posibles": [column.value for column in each.possible]}
            for each in propose_columns(rows, unknown.header_row)
        ],
    }
    message = f"{unknown.message} Indique las columnas."
    return PasteRefusedError("columns_unknown", message, members=members)


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
        first = self.layout.first_row
        body = self.rows[first:]
        self._note_skipped_rows()
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
        titles = frozenset(filter(is_title, {*codes, *quantities}))
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
            if (not code or code in titles or text in titles) and self._is_header_again(row, cells):
                continue
            fault = code_faults[code]
            if fault is not None:
                self._note_code(row, code, text, fault)
                continue
            if warehouse_at is not None and not self._is_right_warehouse(row, cells):
                continue
            quantity = quantities[text]
            if quantity.fault is not None:
                message = _QUANTITY_TEXTS[quantity.fault].format(
                    item=_shortened(code), value=_shortened(text)
                )
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
        item = _shortened(cell_at(cells, self.layout.positions[Column.CODE]))
        text = (
            f"«{item}» es de la bodega «{_shortened(warehouse)}»; la planificación es de "
            f"«{self.rules.whs_code}»."
        )
        self.problems.append(_note(row, Column.WAREHOUSE, warehouse, "other_warehouse", text))
        return False

    def _reason(self, row: int, reason: str) -> str | None:
        longest = self.rules.limits.text_length
        if len(reason) > longest:
            message = f"El texto se cortó a {longest} caracteres."
            self.warnings.append(_note(row, Column.REASON, reason, "text_cut", message))
        return _CONTROL.sub(" ", reason[:longest]) or None

    def _is_header_again(self, row: int, cells: Sequence[str]) -> bool:
        """Whether the header comes again, as it does on each page of a report.

        Raises:
            PasteRefusedError: It has other columns, so the rows below it belong to another table.
        """
        if cells in self.rows[: self.layout.first_row] or (is_header(cells) and fits(cells, self.layout)):
            text = " ".join(filter(None, cells))
            message = "El encabezado se repite; la fila no se leyó."
            self.warnings.append(_note(row, None, text, "header_repeated", message))
            return True
        if is_header(cells):
            message = f"La fila {row} es otro encabezado con otras columnas; pegue cada tabla por separado."
            raise PasteRefusedError("unreadable_paste", message)
        return False

    def _note_code(self, row: int, code: str, quantity: str, fault: tuple[str, str]) -> None:
        notes = self.warnings if fault[0] == "totals_row" else self.problems
        message = fault[1].format(item=_shortened(code), quantity=_shortened(quantity))
        notes.append(_note(row, Column.CODE, code, fault[0], message))

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

    def _note_skipped_rows(self) -> None:
        is_requested = self.rules.columns is not None
        for index in range(self.layout.first_row):
            if (index == self.layout.header_row and not is_requested) or not any(self.rows[index]):
                continue
            text = " ".join(filter(None, self.rows[index]))
            if is_requested:
                code = "row_without_quantity"
                message = "La fila está antes de la primera cantidad; no se leyó."
            else:
                code = "row_above_header"
                message = "La fila está sobre el encabezado; no se leyó."
            self.warnings.append(_note(index + 1, None, text, code, message))

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
    return CellNote(row, column and column.value, _shortened(value), code, message)


def _shortened(value: str) -> str:
    value = _CONTROL.sub(" ", value)
    return value if len(value) <= MAX_SHOWN_VALUE else value[: MAX_SHOWN_VALUE - 1] + "…"
