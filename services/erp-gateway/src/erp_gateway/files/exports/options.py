"""Which file a request asks for, by `Accept` or by parameters of its query. No I/O."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final
from urllib.parse import unquote_to_bytes

from attrs import frozen

from servicekit.endpoint import Body, QueryParam
from servicekit.errors import FieldProblem, InvalidQuery

CSV_TYPE: Final = "text/csv"
XLSX_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

FORMAT: Final = "formato"
SEPARATOR: Final = "separador"
DISPOSITION: Final = "disposicion"
NAMES: Final = (FORMAT, SEPARATOR, DISPOSITION)
_RAW_NAMES: Final = tuple(name.encode("ascii") for name in NAMES)

SEPARATORS: Final = (";", ",")
_DISPOSITIONS: Final = ("attachment", "inline")


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
    """The wish for a file.

    Attributes:
        format: its kind.
        separator: between the cells of a CSV; `;` goes with a decimal comma, `,` with a point.
        inline: whether the browser is to show it instead of saving it.
    """

    format: ExportFormat
    separator: str = ";"
    inline: bool = False


QUERY: Final = (
    QueryParam(
        FORMAT,
        f"Answers a file instead; `Accept: {CSV_TYPE}` or `Accept: {XLSX_TYPE}` asks for the same",
        None,
        {"type": "string", "enum": [each.value for each in ExportFormat]},
    ),
    QueryParam(
        SEPARATOR,
        "Of a CSV: `;` with a decimal comma (default), `,` with a decimal point",
        None,
        {"type": "string", "enum": list(SEPARATORS)},
    ),
    QueryParam(
        DISPOSITION,
        "`inline`: to be shown instead of saved",
        None,
        {"type": "string", "enum": list(_DISPOSITIONS)},
    ),
)
"""The parameters of an endpoint that exports."""

FILES: Final = (
    Body({"type": "string"}, "Código;Total\r\nA1;12,5\r\n", CSV_TYPE),
    Body({"type": "string", "contentMediaType": XLSX_TYPE}, "PK…", XLSX_TYPE),
)
"""The further bodies of its answer."""

DISPOSITION_HEADER: Final = {"Content-Disposition": "Names a file after what it holds and the day"}


def read_export_options(accept: str, values: Mapping[str, str]) -> ExportOptions | None:
    """Return the file that is asked for; None for the endpoint's usual answer.

    Args:
        accept: the header; empty where there is none.
        values: the parameters of the query, decoded; those of others are not looked at.

    Raises:
        InvalidQuery: a value is none of those there are, or says something about a file of another kind.
    """
    problems = list(_problems(values)) if values else []
    if problems:
        raise InvalidQuery(errors=problems)
    wanted = ExportFormat(values[FORMAT]) if FORMAT in values else _preferred(accept)
    if wanted is not ExportFormat.CSV and SEPARATOR in values:
        raise InvalidQuery(errors=[FieldProblem(SEPARATOR, "Solo un archivo CSV tiene separador.")])
    if wanted is None:
        return None
    return ExportOptions(
        format=wanted,
        separator=values.get(SEPARATOR, SEPARATORS[0]),
        inline=values.get(DISPOSITION) == "inline",
    )


def split_query(raw: bytes) -> tuple[dict[str, str], bytes]:
    """Take the parameters of exports out of a raw query string whose others belong to somebody else.

    Raises:
        InvalidQuery: one of them stands there twice.
    """
    values: dict[str, str] = {}
    if not any(name in raw for name in _RAW_NAMES):
        return values, raw
    others: list[bytes] = []
    for part in raw.split(b"&"):
        name, _, value = part.partition(b"=")
        known = name.decode("latin-1")
        if known not in NAMES:
            others.append(part)
        elif known in values:
            raise InvalidQuery(errors=[FieldProblem(known, "Este parámetro está repetido.")])
        else:
            values[known] = unquote_to_bytes(value).decode("utf-8", "replace")
    return values, b"&".join(others)


def _problems(values: Mapping[str, str]) -> Iterator[FieldProblem]:
    allowed: Mapping[str, tuple[str, ...]] = {
        FORMAT: tuple(each.value for each in ExportFormat),
        SEPARATOR: SEPARATORS,
        DISPOSITION: _DISPOSITIONS,
    }
    for name, words in allowed.items():
        if name in values and values[name] not in words:
            told = ", ".join(word if word.isalnum() else f"«{word}»" for word in words)
            yield FieldProblem(name, f"Valores posibles: {told}")


_QUALITY: Final = re.compile(r"[01](?:\.\d{0,3})?")
_KINDS: Final[Mapping[str, ExportFormat]] = {CSV_TYPE: ExportFormat.CSV, XLSX_TYPE: ExportFormat.XLSX}


def _preferred(accept: str) -> ExportFormat | None:
    """Return the kind that the header likes best: a file only where it is named, never for a `*`."""
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
    """Return how much a kind is liked, wherever among its parameters that stands; 0 if it makes no sense."""
    for name, _, value in (each.partition("=") for each in parameters):
        if name.strip() == "q":
            return float(value) if _QUALITY.fullmatch(value := value.strip()) else 0.0
    return 1.0
