"""Read the rows of a table with known columns."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from attrs import define, field, frozen

from supplier_returns.pasting.column_cells import cell_at
from supplier_returns.pasting.columns import Column, Layout
from supplier_returns.pasting.header_words import is_title
from supplier_returns.pasting.headers import is_header, matches
from supplier_returns.pasting.item_codes import DOUBTFUL_PROBLEMS, code_problem
from supplier_returns.pasting.notes import CONTROL, note_of, shortened
from supplier_returns.pasting.numbers import (
    NumberFormat,
    NumberProblem,
    NumberText,
    Style,
    find_style,
    parse_number,
)
from supplier_returns.pasting.pasted_table import CellNote, PastedTable, RequestedLine
from supplier_returns.pasting.refusal import PasteRefusedError
from supplier_returns.pasting.rules import PasteRules
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
    """Parsed quantity: a value above zero, or a problem."""

    value: Decimal = Decimal(0)
    problem: NumberProblem | None = None
    is_guess: bool = False


@define
class TableReader:
    """Converts the rows of one table to requested lines and notes."""

    rows: list[list[str]]
    layout: Layout
    rules: PasteRules
    problems: list[CellNote] = field(factory=list)
    warnings: list[CellNote] = field(factory=list)
    lines: dict[tuple[str, str], RequestedLine] = field(factory=dict)
    doubtful_codes: tuple[str, ...] = ()
    contradiction: str | None = None
    """First quantity that contradicts the format that the user chose."""

    def read(self) -> PastedTable:
        """Read every row.

        Raises:
            PasteRefusedError: a second header has other columns, or there are too many items.
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
        """Read every row. Return the number of non-empty rows."""
        code_at = self.layout.positions[Column.CODE]
        quantity_at = self.layout.positions[Column.QUANTITY]
        max_length = self.rules.limits.code_length
        # Cells repeat a lot, so each distinct text is checked once.
        # Rows may be shorter than the table.
        codes = dict.fromkeys(cells[code_at] if code_at < len(cells) else "" for cells in body)
        existing = self.rules.existing_codes
        code_problems = {code: None if code in existing else code_problem(code, max_length) for code in codes}
        self.doubtful_codes = tuple(
            code for code, problem in code_problems.items() if problem and problem[0] in DOUBTFUL_PROBLEMS
        )
        quantities = self._parse_quantities(
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
            # Most rows are data, so the slow comparison is limited to rows with a column name.
            if (not code or code in titles or text in titles) and self._is_header_again(row, cells):
                continue
            problem = code_problems[code]
            if problem is not None:
                self._note_code(row, code, text, problem)
                continue
            if warehouse_at is not None and not self._is_right_warehouse(row, cells):
                continue
            quantity = quantities[text]
            if quantity.problem is not None:
                message = _QUANTITY_TEXTS[quantity.problem].format(
                    item=shortened(code), value=shortened(text)
                )
                self.problems.append(note_of(row, Column.QUANTITY, text, quantity.problem.value, message))
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

    def _parse_quantities(self, texts: Iterable[str]) -> dict[str, _Quantity]:
        """Parse each distinct text once. Skipped rows also show the style of the column.

        If no quantity proves a style, a zero or a signed number does. They count less, because they are
        typing errors.
        """
        numbers = {text: parse_number(text) for text in dict.fromkeys(texts)}
        proving = [
            text for text, number in numbers.items() if isinstance(number, NumberText) and number.proven_style
        ]
        proven = {text: style for text in proving or numbers if (style := find_style(text)) is not None}
        styles = set(proven.values())
        column_style = styles.pop() if len(styles) == 1 else None
        requested_format = self.rules.number_format
        if requested_format is not NumberFormat.AUTO:
            self.contradiction = next(
                (t for t, style in proven.items() if style.value != requested_format.value), None
            )
        style = column_style or (
            Style.POINT_DECIMALS if requested_format is NumberFormat.ENGLISH else Style.COMMA_DECIMALS
        )
        may_guess = column_style is None and requested_format is NumberFormat.AUTO
        return {
            text: self._parse_quantity(number, style, may_guess=may_guess) for text, number in numbers.items()
        }

    def _parse_quantity(
        self, number: NumberText | NumberProblem, style: Style, *, may_guess: bool
    ) -> _Quantity:
        if isinstance(number, NumberProblem):
            return _Quantity(problem=number)
        value = number.value(style)
        if decimals_of(value) > self.rules.decimals:
            return _Quantity(problem=NumberProblem.DECIMALS)
        return _Quantity(value, is_guess=may_guess and number.is_ambiguous)

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
        max_length = self.rules.limits.text_length
        if len(reason) > max_length:
            message = f"El texto se cortó a {max_length} caracteres."
            self.warnings.append(note_of(row, Column.REASON, reason, "text_cut", message))
        return CONTROL.sub(" ", reason[:max_length]) or None

    def _is_header_again(self, row: int, cells: Sequence[str]) -> bool:
        """Return whether the header is repeated, as on each page of a report.

        Raises:
            PasteRefusedError: it has other columns, so the rows below belong to another table.
        """
        if cells in self.rows[: self.layout.first_row] or (is_header(cells) and matches(cells, self.layout)):
            text = " ".join(filter(None, cells))
            message = "El encabezado se repite; la fila no se leyó."
            self.warnings.append(note_of(row, None, text, "header_repeated", message))
            return True
        if is_header(cells):
            message = f"La fila {row} es otro encabezado con otras columnas; pegue cada tabla por separado."
            raise PasteRefusedError("unreadable_paste", message)
        return False

    def _note_code(self, row: int, code: str, quantity: str, problem: tuple[str, str]) -> None:
        notes = self.warnings if problem[0] == "totals_row" else self.problems
        message = problem[1].format(item=shortened(code), quantity=shortened(quantity))
        notes.append(note_of(row, Column.CODE, code, problem[0], message))

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
        read_columns = {
            position for column, position in self.layout.positions.items() if column is not Column.COMMENT
        }
        column_count = max(map(len, self.rows), default=0)
        ignored = [
            position
            for position in range(column_count)
            if position not in read_columns
            and any(position < len(cells) and cells[position] for cells in self.rows)
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
