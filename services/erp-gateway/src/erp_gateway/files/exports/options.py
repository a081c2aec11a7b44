"""The requested file type, from `Accept` or query parameters. No I/O."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final
from urllib.parse import unquote_to_bytes

from attrs import frozen

from servicekit.errors import FieldProblem, InvalidQuery

CSV_TYPE: Final = "text/csv"
XLSX_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

FORMAT: Final = "formato"
SEPARATOR: Final = "separador"
DISPOSITION: Final = "disposicion"
NAMES: Final = (FORMAT, SEPARATOR, DISPOSITION)
_RAW_NAMES: Final = tuple(name.encode("ascii") for name in NAMES)

SEPARATORS: Final = (";", ",")
DISPOSITIONS: Final = ("attachment", "inline")


class ExportFormat(StrEnum):
    """The kinds of files."""

    CSV = "csv"
    XLSX = "xlsx"

    @property
    def media_type(self) -> str:
        """The `Content-Type` of such a file."""
        return f"{CSV_TYPE}; charset=utf-8; header=present" if self is ExportFormat.CSV else XLSX_TYPE


@frozen(kw_only=True)
class ExportOptions:
    """The requested kind of file.

    Attributes:
        format: CSV or XLSX.
        separator: separator of the cells of a CSV; `;` goes with a decimal comma, `,` with a point.
        inline: whether the browser shows the file instead of saving it.
    """

    format: ExportFormat
    separator: str = ";"
    inline: bool = False


def read_export_options(accept: str, values: Mapping[str, str]) -> ExportOptions | None:
    """Return the requested file type, or None for the endpoint's usual response.

    Args:
        accept: the `Accept` header; empty if there is none.
        values: the decoded parameters of the query; other parameters are ignored.

    Raises:
        InvalidQuery: a value is not allowed, or belongs to another kind of file.
    """
    problems = list(_problems(values)) if values else []
    if problems:
        raise InvalidQuery(errors=problems)
    chosen = ExportFormat(values[FORMAT]) if FORMAT in values else _preferred(accept)
    if chosen is not ExportFormat.CSV and SEPARATOR in values:
        raise InvalidQuery(errors=[FieldProblem(SEPARATOR, "Solo un archivo CSV tiene separador.")])
    if chosen is None:
        return None
    return ExportOptions(
        format=chosen,
        separator=values.get(SEPARATOR, SEPARATORS[0]),
        inline=values.get(DISPOSITION) == "inline",
    )


def split_query(raw: bytes) -> tuple[dict[str, str], bytes]:
    """Split a raw query string into the decoded parameters of exports and the rest.

    Raises:
        InvalidQuery: a parameter of exports is repeated.
    """
    values: dict[str, str] = {}
    if not any(name in raw for name in _RAW_NAMES):
        return values, raw
    others: list[bytes] = []
    for part in raw.split(b"&"):
        name, _, value = part.partition(b"=")
        parameter = name.decode("latin-1")
        if parameter not in NAMES:
            others.append(part)
        elif parameter in values:
            raise InvalidQuery(errors=[FieldProblem(parameter, "Este parámetro está repetido.")])
        else:
            values[parameter] = unquote_to_bytes(value).decode("utf-8", "replace")
    return values, b"&".join(others)


def _problems(values: Mapping[str, str]) -> Iterator[FieldProblem]:
    allowed: Mapping[str, tuple[str, ...]] = {
        FORMAT: tuple(each.value for each in ExportFormat),
        SEPARATOR: SEPARATORS,
        DISPOSITION: DISPOSITIONS,
    }
    for name, words in allowed.items():
        if name in values and values[name] not in words:
            allowed_words = ", ".join(word if word.isalnum() else f"«{word}»" for word in words)
            yield FieldProblem(name, f"Valores posibles: {allowed_words}")


_QUALITY: Final = re.compile(r"[01](?:\.\d{0,3})?")
_KINDS: Final[Mapping[str, ExportFormat]] = {CSV_TYPE: ExportFormat.CSV, XLSX_TYPE: ExportFormat.XLSX}


def _preferred(accept: str) -> ExportFormat | None:
    """Return the file type that the header prefers. A file must be named: `*` never means one."""
    lowered = accept.lower()
    if CSV_TYPE not in lowered and XLSX_TYPE not in lowered:
        return None
    best: tuple[float, bool, ExportFormat | None] = (0.0, True, None)
    for part in accept.split(","):
        name, *parameters = (each.strip().lower() for each in part.split(";"))
        if not name:
            continue
        candidate = (_weight(parameters), "*" not in name, _KINDS.get(name))
        if candidate[:2] > best[:2]:
            best = candidate
    return best[2]


def _weight(parameters: list[str]) -> float:
    """Return the `q` of a media type, at any place among its parameters; 0 if invalid."""
    for name, _, value in (each.partition("=") for each in parameters):
        if name.strip() == "q":
            return float(value) if _QUALITY.fullmatch(value := value.strip()) else 0.0
    return 1.0
