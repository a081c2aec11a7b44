"""Reads the rows of a table whose columns are known."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from attrs import define, field, frozen

from supplier_returns.pasting.column_cells import cell_at
from supplier_returns.pasting.columns import Column, Layout
from supplier_returns.pasting.header_words import is_title
from supplier_returns.pasting.headers import fits, is_header
from supplier_returns.pasting.item_codes import DOUBTS, fault_of
from supplier_returns.pasting.notes import CONTROL, note_of, shortened
from supplier_returns.pasting.numbers import (
    NumberFormat,
    NumberProblem,
    NumberText,
    Style,
    find_proof,
    parse_number,
)
from supplier_returns.pasting.table import (
    CellNote,
    PastedTable,
    PasteRefusedError,
    PasteRules,
    RequestedLine,
)
from supplier_returns.quantities import decimals_of, quantity_text

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


@frozen
class _Quantity:
    """How one quantity text is read: a value above zero, or a fault."""

    value: Decimal = Decimal(0)
    fault: NumberProblem | None = None
    is_guess: bool = False


@define
class TableReader:
    """Reads the rows of one table into requested lines and notes."""

    rows: list[list[str]]
    layout: Layout
    rules: PasteRules
    problems: list[CellNote] = field(factory=list)
    warnings: list[CellNote] = field(factory=list)
    lines: dict[tuple[str, str], RequestedLine] = field(factory=dict)
    doubtful_codes: tuple[str, ...] = ()
    contradiction: str | None = None
    """The first quantity that is not written in the format that the person chose."""

    def read(self) -> PastedTable:
        """Read every row.

        Raises:
            PasteRefusedError: A second header has other columns, or there are too many items.
        """
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
            doubtful_codes=self.doubtful_codes,
        )

    def _read_body(self, body: Sequence[list[str]], first_row: int) -> int:
        """Read every row; return how many were not empty."""
        code_at = self.layout.positions[Column.CODE]
        quantity_at = self.layout.positions[Column.QUANTITY]
        max_length = self.rules.limits.code_length
        codes = dict.fromkeys(cells[code_at] if code_at < len(cells) else "" for cells in body)
        known = self.rules.existing_codes
        code_faults = {code: None if code in known else fault_of(code, max_length) for code in codes}
        self.doubtful_codes = tuple(
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
                message = _QUANTITY_TEXTS[quantity.fault].format(item=shortened(code), value=shortened(text))
                self.problems.append(note_of(row, Column.QUANTITY, text, quantity.fault.value, message))
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
        item = shortened(cell_at(cells, self.layout.positions[Column.CODE]))
        text = (
            f"«{item}» es de la bodega «{shortened(warehouse)}»; la planificación es de "
            f"«{self.rules.whs_code}»."
        )
        self.problems.append(note_of(row, Column.WAREHOUSE, warehouse, "other_warehouse", text))
        return False

    def _reason(self, row: int, reason: str) -> str | None:
        longest = self.rules.limits.text_length
        if len(reason) > longest:
            message = f"El texto se cortó a {longest} caracteres."
            self.warnings.append(note_of(row, Column.REASON, reason, "text_cut", message))
        return CONTROL.sub(" ", reason[:longest]) or None

    def _is_header_again(self, row: int, cells: Sequence[str]) -> bool:
        """Whether the header comes again, as it does on each page of a report.

        Raises:
            PasteRefusedError: It has other columns, so the rows below it belong to another table.
        """
        if cells in self.rows[: self.layout.first_row] or (is_header(cells) and fits(cells, self.layout)):
            text = " ".join(filter(None, cells))
            message = "El encabezado se repite; la fila no se leyó."
            self.warnings.append(note_of(row, None, text, "header_repeated", message))
            return True
        if is_header(cells):
            message = f"La fila {row} es otro encabezado con otras columnas; pegue cada tabla por separado."
            raise PasteRefusedError("unreadable_paste", message)
        return False

    def _note_code(self, row: int, code: str, quantity: str, fault: tuple[str, str]) -> None:
        notes = self.warnings if fault[0] == "totals_row" else self.problems
        message = fault[1].format(item=shortened(code), quantity=shortened(quantity))
        notes.append(note_of(row, Column.CODE, code, fault[0], message))

    def _note_guess(self, row: int, text: str, value: Decimal) -> None:
        message = (
            f"«{text}» se leyó como {quantity_text(value)}, con la coma como separador decimal; "
            "si no es así, elija el formato de los números."
        )
        self.warnings.append(note_of(row, Column.QUANTITY, text, "quantity_ambiguous", message))

    def _note_contradiction(self, row: int, text: str) -> None:
        self.contradiction = None
        message = (
            f"«{text}» no está escrito en el formato de números elegido; "
            "la columna se leyó como muestran sus celdas: revise las cantidades."
        )
        self.warnings.append(note_of(row, Column.QUANTITY, text, "number_format_contradicted", message))

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
            self.warnings.append(note_of(index + 1, None, text, code, message))

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
            self.warnings.append(note_of(max(first, 1), None, numbers, "columns_ignored", message))

    def _check_items(self) -> None:
        items, limit = len({code for code, _ in self.lines}), self.rules.limits.items
        if items > limit:
            raise PasteRefusedError(
                "paste_too_large", f"El texto tiene {items} artículos; se aceptan hasta {limit}."
            )
