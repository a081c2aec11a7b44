"""Errors in a client's OData text; one class for each code of `erpclient.odata`.

Programs read `option`, `position`, `expected` and `found`; the Spanish message repeats them.
"""

from typing import Final

from erpclient.odata import DEFAULT_LIMITS, Hint, ODataError, ODataErrorCode
from erpclient.odata.errors import Expected
from servicekit.errors import BadRequest


class ODataSyntax(BadRequest):
    """An OData option does not follow the grammar."""

    code = "odata_syntax"
    detail = "La opción no está bien escrita."


class ODataLimit(BadRequest):
    """An OData option is longer, deeper or larger than allowed."""

    code = "odata_limit"
    detail = "La opción supera un límite."


class ODataUnknownOption(BadRequest):
    """A query parameter that is not allowed here. Writes allow none."""

    code = "odata_unknown_option"
    detail = "El parámetro no está permitido."


class ODataRepeatedOption(BadRequest):
    """An option, or a name within one, is given twice."""

    code = "odata_repeated_option"
    detail = "El parámetro está repetido."


class ODataForbiddenName(BadRequest):
    """A property or collection that is not allowed in that clause."""

    code = "odata_forbidden_name"
    detail = "El nombre no está permitido."


class ODataBadValue(BadRequest):
    """`$top`, `$skip` or a literal is out of range or of the wrong type. `$top=1` returns the count too."""

    code = "odata_bad_value"
    detail = "El valor no es válido."


class ODataEncoding(BadRequest):
    """The query is not percent-encoded UTF-8."""

    code = "odata_encoding"
    detail = "La codificación de la consulta no es válida."


class KeyBadValue(BadRequest):
    """The key does not match the resource's declared type."""

    code = "key_bad_value"
    detail = "La clave del registro no es válida."


class IfMatchBadValue(BadRequest):
    """`If-Match` is neither `*` nor a single tag `W/"…"`. The ERP would ignore it and write."""

    code = "if_match_bad_value"
    detail = 'La cabecera If-Match debe ser * o la etiqueta leída, con la forma W/"...".'


_CLASSES: Final[dict[ODataErrorCode, type[BadRequest]]] = {
    ODataErrorCode.SYNTAX: ODataSyntax,
    ODataErrorCode.LIMIT: ODataLimit,
    ODataErrorCode.UNKNOWN_OPTION: ODataUnknownOption,
    ODataErrorCode.REPEATED_OPTION: ODataRepeatedOption,
    ODataErrorCode.FORBIDDEN_NAME: ODataForbiddenName,
    ODataErrorCode.BAD_VALUE: ODataBadValue,
    ODataErrorCode.ENCODING: ODataEncoding,
    ODataErrorCode.KEY: KeyBadValue,
    ODataErrorCode.IF_MATCH: IfMatchBadValue,
}

_EXPECTED: Final[dict[Expected, str]] = {
    Expected.PROPERTY_NAME: "el nombre de un campo",
    Expected.ALLOWED_NAME: "un nombre permitido",
    Expected.DECLARED_COLLECTION: "una colección declarada",
    Expected.EXPANDED_COLLECTION: "una colección nombrada en $expand",
    Expected.FUNCTION: "una función",
    Expected.COMPARISON: "un operador de comparación",
    Expected.QUOTED_TEXT: "un texto entre comillas simples",
    Expected.QUOTED_DATE: "una fecha entre comillas simples",
    Expected.NUMBER: "un número",
    Expected.INTEGER: "un número entero",
    Expected.NULL: "null",
    Expected.ENTITY_TAG: "una etiqueta de entidad",
    Expected.PRINTABLE_CHARACTER: "un carácter imprimible",
    Expected.PERCENT_ENCODING: "UTF-8 con codificación porcentual",
    Expected.CLOSING_QUOTE: "una comilla de cierre",
    Expected.BLANK: "un espacio",
    Expected.AND: "and",
    Expected.OR: "or",
    Expected.NOT: "not",
    Expected.ASC: "asc",
    Expected.DESC: "desc",
    Expected.OPENING_PARENTHESIS: "(",
    Expected.CLOSING_PARENTHESIS: ")",
    Expected.COMMA: "una coma",
    Expected.EQUALS: "=",
    Expected.STAR: "*",
    Expected.END: "el final",
}

# Ranges behind `Expected.INTEGER`: `$top=501` is a whole number too, but out of range.
_RANGES: Final = {"$top": f" de 1 a {DEFAULT_LIMITS.max_top}", "$skip": f" de 0 a {DEFAULT_LIMITS.max_skip}"}

_ADVICE: Final[dict[Hint, str]] = {
    Hint.QUOTE_DATES: "Escriba las fechas entre comillas, como '2024-01-31'.",
    Hint.LOWER_CASE_OPERATORS: "Escriba los operadores en minúsculas.",
    Hint.NO_PATHS_OR_LAMBDAS: (
        "No se puede filtrar ni ordenar por líneas o registros vinculados; seleccione la colección."
    ),
    Hint.NO_IN_OPERATOR: "En lugar de in, escriba varias condiciones eq unidas por or.",
    Hint.TOP_1_COUNTS: (
        "Con 0 el ERP dejaría de paginar y entregaría todo; para saber cuántos hay, pida $top=1, que también "
        "los cuenta."
    ),
}


def odata_service_error(error: ODataError) -> BadRequest:
    """Build the 400 response for an error in OData text."""
    members = {
        "option": error.option,
        "position": error.position,
        "expected": list(error.expected) or None,
        "found": error.found,
    }
    kind = _CLASSES[error.code]
    return kind(
        _sentence(kind.detail, error),
        members={name: value for name, value in members.items() if value is not None},
    )


def _sentence(fault: str, error: ODataError) -> str:
    place = ", ".join(
        part
        for part in (error.option, None if error.position is None else f"posición {error.position}")
        if part is not None
    )
    sentences = [f"{place}: {fault[0].lower()}{fault[1:]}" if place else fault]
    if error.expected:
        sentences.append(f"Se esperaba {_either(error.expected)}{_RANGES.get(error.option or '', '')}.")
    if error.found is not None:
        sentences.append(f"Se encontró: {error.found}")
    if error.hint is not None:
        sentences.append(_ADVICE[error.hint])
    return " ".join(sentences)


def _either(expected: tuple[Expected, ...]) -> str:
    *first, last = (_EXPECTED[what] for what in expected)
    return f"{', '.join(first)} o {last}" if first else last
