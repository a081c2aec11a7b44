"""HANA's functions by name and number of arguments. Each new function is one line.

Source of their behaviour: SAP HANA SQL reference, "SQL Functions". If the reference is ambiguous, only
arguments for which both readings agree are supported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from erpsim.hana.parsing import tree
from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.translation.conversion_functions import CONVERSION_FUNCTIONS
from erpsim.hana.translation.function_rules import (
    ORDER,
    OVER,
    Arguments,
    Build,
    Function,
    as_number,
    as_text,
    day_like,
    like,
    number_like,
    simple,
    unknown_function,
)
from erpsim.hana.translation.hana_types import (
    BIGINT,
    DATE,
    DOUBLE,
    FLOATING,
    INTEGER,
    NVARCHAR,
    HanaType,
    common_number,
    decimal,
    text,
)
from erpsim.hana.translation.typed import Conversions, Typed, type_of


def _text_like(place: int) -> Callable[[Arguments], HanaType]:
    def rule(arguments: Arguments) -> HanaType:
        own = type_of(arguments[place])
        return text(own.length) if own.is_text else NVARCHAR

    return rule


def _added(unit: str) -> Build:
    return simple("day whole", f"CAST({{0}} + to_{unit}(CAST({{1}} AS INTEGER)) AS {{kept}})", day_like(0))


def _part(unit: str) -> Build:
    return simple("day", f"CAST(date_part('{unit}', {{0}}) AS INTEGER)", INTEGER)


def _coalesced(convert: Conversions, arguments: Arguments, _: tree.Call) -> Typed:
    written, target = convert.unified(list(arguments))
    return Typed(f"coalesce({', '.join(written)})", target)


def _extreme(name: str) -> Build:
    """GREATEST and LEAST: in HANA the result is NULL if any argument is NULL, in DuckDB it is not."""

    def build(convert: Conversions, arguments: Arguments, _: tree.Call) -> Typed:
        written, target = convert.unified(list(arguments))
        missing = " OR ".join(f"{each} IS NULL" for each in written)
        return Typed(f"CASE WHEN {missing} THEN NULL ELSE {name}({', '.join(written)}) END", target)

    return build


def _null_if(convert: Conversions, arguments: Arguments, _: tree.Call) -> Typed:
    left, right = convert.compared(list(arguments))
    return Typed(f"CASE WHEN {left} = {right} THEN NULL ELSE {arguments[0].sql} END", type_of(arguments[0]))


def _map(convert: Conversions, arguments: Arguments, _: tree.Call) -> Typed:
    """MAP and DECODE: pairs of a value and a result, and a result for all others."""
    pairs = [(arguments[place], arguments[place + 1]) for place in range(1, len(arguments) - 1, 2)]
    rest = arguments[-1] if len(arguments) % 2 == 0 else Typed("NULL", None)
    results, target = convert.unified([*(pair[1] for pair in pairs), rest])
    tests = []
    for value, _result in pairs:
        left, right = convert.compared([arguments[0], value])
        tests.append(f"({left} = {right} OR ({left} IS NULL AND {right} IS NULL))")
    whens = " ".join(f"WHEN {test} THEN {result}" for test, result in zip(tests, results[:-1], strict=True))
    return Typed(f"CASE {whens} ELSE {results[-1]} END", target)


def _modulo(convert: Conversions, arguments: Arguments, _: tree.Call) -> Typed:
    left, right = (as_number(convert, each) for each in arguments)
    types = [number_like(place)(arguments) for place in (0, 1)]
    return Typed(f"h_mod({left}, {right})", common_number(types))


def _counted(convert: Conversions, arguments: Arguments, call: tree.Call) -> Typed:
    distinct = "DISTINCT " if call.distinct else ""
    return Typed(f"count({distinct}{convert.to(arguments[0], type_of(arguments[0]))}){OVER}", BIGINT)


def _summed(convert: Conversions, arguments: Arguments, call: tree.Call) -> Typed:
    """SUM; a sum of a fixed decimal keeps its scale."""
    own = number_like(0)(arguments)
    distinct = "DISTINCT " if call.distinct else ""
    target = own
    if own.is_integer:
        target = decimal(38, 0) if own.length == BIGINT.length else BIGINT
    elif own.is_fixed:
        target = decimal(38, own.scale)
    return Typed(f"CAST(sum({distinct}{as_number(convert, arguments[0])}){OVER} AS {target.kept_in})", target)


def _averaged(convert: Conversions, arguments: Arguments, call: tree.Call) -> Typed:
    own = number_like(0)(arguments)
    distinct = "DISTINCT " if call.distinct else ""
    sql = f"avg({distinct}{as_number(convert, arguments[0])}){OVER}"
    return Typed(sql, DOUBLE if own.is_binary_float else FLOATING)


def _outermost(name: str) -> Build:
    def build(_: Conversions, arguments: Arguments, call: tree.Call) -> Typed:
        own = type_of(arguments[0])
        if own.is_lob:
            raise not_simulated(f"{call.name} of a LOB")
        return Typed(f"{name}({arguments[0].sql}){OVER}", own)

    return build


def _joined(convert: Conversions, arguments: Arguments, call: tree.Call) -> Typed:
    """STRING_AGG; `ORDER` marks the place of the order inside its brackets."""
    if call.distinct:
        raise not_simulated("STRING_AGG of distinct values")
    separator = as_text(convert, arguments[1]) if len(arguments) > 1 else "''"
    return Typed(f"string_agg({as_text(convert, arguments[0])}, {separator}{ORDER}){OVER}", NVARCHAR)


def _shifted(name: str) -> Build:
    def build(convert: Conversions, arguments: Arguments, _: tree.Call) -> Typed:
        written, target = convert.unified([arguments[0], *arguments[2:]])
        step = [convert.to(each, INTEGER) for each in arguments[1:2]]
        return Typed(f"{name}({', '.join([written[0], *step, *written[1:]])}){OVER}", target)

    return build


def _window(template: str) -> Function:
    return Function(simple("", template + "{over}", BIGINT), is_window=True, needs_window=True)


def _aggregate(build: Build) -> Function:
    return Function(build, is_aggregate=True, is_window=True)


_TABLE: Final[Mapping[str, Build]] = {
    # days
    "ADD_DAYS/2": _added("days"),
    "ADD_MONTHS/2": _added("months"),
    "ADD_YEARS/2": _added("years"),
    "ADD_SECONDS/2": _added("seconds"),
    "DAYS_BETWEEN/2": simple("day day", "h_days_between({0}, {1})", INTEGER),
    "SECONDS_BETWEEN/2": simple(
        "day day",
        "CAST(floor(epoch(CAST({1} AS TIMESTAMP)) - epoch(CAST({0} AS TIMESTAMP))) AS BIGINT)",
        BIGINT,
    ),
    "YEAR/1": _part("year"),
    "MONTH/1": _part("month"),
    "DAYOFMONTH/1": _part("day"),
    "DAYOFYEAR/1": _part("doy"),
    "HOUR/1": _part("hour"),
    "MINUTE/1": _part("minute"),
    "WEEKDAY/1": simple("day", "CAST(date_part('isodow', {0}) - 1 AS INTEGER)", INTEGER),
    "LAST_DAY/1": simple("day", "last_day({0})", DATE),
    "QUARTER/1": simple("day", "(strftime({0}, '%Y') || '-Q' || date_part('quarter', {0}))", text(7)),
    "ISOWEEK/1": simple("day", "strftime({0}, '%G-W%V')", text(8)),
    "DAYNAME/1": simple("day", "upper(dayname({0}))", text(9)),
    "MONTHNAME/1": simple("day", "upper(monthname({0}))", text(9)),
    # texts
    "UPPER/1": simple("text", "upper({0})", _text_like(0)),
    "UCASE/1": simple("text", "upper({0})", _text_like(0)),
    "LOWER/1": simple("text", "lower({0})", _text_like(0)),
    "LCASE/1": simple("text", "lower({0})", _text_like(0)),
    "LENGTH/1": simple("text", "CAST(length({0}) AS INTEGER)", INTEGER),
    "SUBSTRING/2": simple("text whole", "substring({0}, greatest({1}, 1))", _text_like(0)),
    "SUBSTR/2": simple("text whole", "substring({0}, greatest({1}, 1))", _text_like(0)),
    "SUBSTRING/3": simple(
        "text whole whole", "substring({0}, greatest({1}, 1), greatest({2}, 0))", _text_like(0)
    ),
    "SUBSTR/3": simple(
        "text whole whole", "substring({0}, greatest({1}, 1), greatest({2}, 0))", _text_like(0)
    ),
    "LEFT/2": simple("text whole", "left({0}, greatest({1}, 0))", _text_like(0)),
    "RIGHT/2": simple("text whole", "right({0}, greatest({1}, 0))", _text_like(0)),
    "LTRIM/1": simple("text", "ltrim({0}, ' ')", _text_like(0)),
    "RTRIM/1": simple("text", "rtrim({0}, ' ')", _text_like(0)),
    "LTRIM/2": simple("text text", "ltrim({0}, {1})", _text_like(0)),
    "RTRIM/2": simple("text text", "rtrim({0}, {1})", _text_like(0)),
    "REPLACE/3": simple("text text text", "replace({0}, {1}, {2})", NVARCHAR),
    "CONCAT/2": simple("text text", "({0} || {1})", NVARCHAR),
    "LOCATE/2": simple("text text", "CAST(strpos({0}, {1}) AS INTEGER)", INTEGER),
    "LPAD/2": simple("text whole", "lpad({0}, {1}, ' ')", NVARCHAR),
    "RPAD/2": simple("text whole", "rpad({0}, {1}, ' ')", NVARCHAR),
    "LPAD/3": simple("text whole text", "lpad({0}, {1}, {2})", NVARCHAR),
    "RPAD/3": simple("text whole text", "rpad({0}, {1}, {2})", NVARCHAR),
    "SUBSTR_BEFORE/2": simple("text text", "left({0}, greatest(strpos({0}, {1}) - 1, 0))", _text_like(0)),
    # numbers
    "ABS/1": simple("number", "abs({0})", number_like(0)),
    "SIGN/1": simple("number", "CAST(sign({0}) AS INTEGER)", INTEGER),
    "MOD/2": _modulo,
    "POWER/2": simple("number number", "power(CAST({0} AS DOUBLE), CAST({1} AS DOUBLE))", DOUBLE),
    "SQRT/1": simple("number", "sqrt(CAST({0} AS DOUBLE))", DOUBLE),
    "EXP/1": simple("number", "exp(CAST({0} AS DOUBLE))", DOUBLE),
    "LN/1": simple("number", "ln(CAST({0} AS DOUBLE))", DOUBLE),
    # choosing
    "IFNULL/2": _coalesced,
    "NULLIF/2": _null_if,
}
MANY: Final[Mapping[str, tuple[int, Build]]] = {
    "COALESCE": (2, _coalesced),
    "GREATEST": (2, _extreme("greatest")),
    "LEAST": (2, _extreme("least")),
    "MAP": (3, _map),
    "DECODE": (3, _map),
}
"""Functions with any number of arguments, with their minimum."""
_OVER_ROWS: Final[Mapping[str, Function]] = {
    "COUNT/1": _aggregate(_counted),
    "SUM/1": _aggregate(_summed),
    "AVG/1": _aggregate(_averaged),
    "MIN/1": _aggregate(_outermost("min")),
    "MAX/1": _aggregate(_outermost("max")),
    "STRING_AGG/1": _aggregate(_joined),
    "STRING_AGG/2": _aggregate(_joined),
    "ROW_NUMBER/0": _window("row_number()"),
    "RANK/0": _window("rank()"),
    "DENSE_RANK/0": _window("dense_rank()"),
    "NTILE/1": Function(simple("whole", "ntile({0}){over}", BIGINT), is_window=True, needs_window=True),
    **{
        f"{name}/{count}": Function(_shifted(name.lower()), is_window=True, needs_window=True)
        for name in ("LAG", "LEAD")
        for count in (1, 2, 3)
    },
    "FIRST_VALUE/1": Function(
        simple("any", "first_value({0}){over}", like(0)), is_window=True, needs_window=True
    ),
    "LAST_VALUE/1": Function(
        simple("any", "last_value({0}){over}", like(0)), is_window=True, needs_window=True
    ),
}
_NOT_SIMULATED_TEXT = """
    ABAP_ALPHANUM ABAP_LOWER ABAP_NUMC ABAP_UPPER ACOS ADD_MONTHS_LAST ADD_NANO100 ADD_WORKDAYS ASCII
    ASIN ATAN ATAN2 AUTO_CORR BINTOHEX BINTONHEX BINTOSTR BITAND BITCOUNT BITNOT BITOR BITSET BITUNSET
    BITXOR CARDINALITY CHAR CONVERT_CURRENCY CONVERT_UNIT CORR CORR_SPEARMAN COS COSH COT CROSS_CORR
    CUBIC_SPLINE_APPROX CUME_DIST CURRENT_IDENTITY_VALUE CURRENT_MVCC_SNAPSHOT_TIMESTAMP
    CURRENT_OBJECT_SCHEMA CURRENT_SITE_ID DFT EXTRACT_DAY FUZZY
    GENERATE_PASSWORD GROUPING GROUPING_ID HAMMING_DISTANCE HASH_MD5 HASH_SHA256 HEXTOBIN HIGHLIGHTED
    INDEXING_STATUS INITCAP ISTOTAL JSON_QUERY JSON_TABLE JSON_VALUE LANGUAGE LINEAR_APPROX LOCALTOUTC
    LOCATE_REGEXPR LOG MEDIAN MEMBER_AT MIMETYPE MONTHS_BETWEEN NANO100_BETWEEN NCHAR NDIV0 NEWUID
    NEXT_DAY NORMALIZE NTH_VALUE NUM NUMTODSINTERVAL OCCURRENCES_REGEXPR PERCENTILE_CONT PERCENTILE_DISC
    PERCENT_RANK PLAINTEXT QUOTENAME RAND RAND_SECURE RANDOM_PARTITION RECORD_COMMIT_TIMESTAMP RECORD_ID
    REPLACE_REGEXPR RESULT_CACHE_ID SCORE SECOND SERIES_DISAGGREGATE SERIES_ELEMENT_TO_PERIOD
    SERIES_FILTER SERIES_GENERATE SERIES_ROUND SIN SINH SNIPPETS SOUNDEX STDDEV STDDEV_POP STDDEV_SAMP
    STRTOBIN SUBARRAY SUBSTRING_REGEXPR SUBSTR_AFTER SUBSTR_REGEXPR SYSUUID TAN TANH TO_ALPHANUM
    TO_ARRAY TO_BINARY TO_BLOB TO_BOOLEAN TO_CLOB TO_DATS TO_FIXEDCHAR TO_JSON_BOOLEAN TO_SMALLDECIMAL
    TO_VARBINARY TRIM_ARRAY UMINUS UNICODE UNNEST UTCTOLOCAL VAR VAR_POP VAR_SAMP WEEK WEEKS_BETWEEN
    WEIGHTED_AVG WIDTH_BUCKET WORKDAYS_BETWEEN XMLEXTRACT XMLEXTRACTVALUE XMLTABLE YEARS_BETWEEN
    CONTAINS
"""
# HANA functions that are not simulated, completely or in some form.
_NOT_SIMULATED: Final = frozenset(_NOT_SIMULATED_TEXT.split())

FUNCTIONS: Final[Mapping[tuple[str, int], Function]] = {
    **{
        (name, int(count)): Function(build)
        for key, build in _TABLE.items()
        for name, _, count in [key.partition("/")]
    },
    **{
        (name, int(count)): each
        for key, each in _OVER_ROWS.items()
        for name, _, count in [key.partition("/")]
    },
    **CONVERSION_FUNCTIONS,
}
_NAMES: Final = frozenset(name for name, _ in FUNCTIONS) | frozenset(MANY)


def find_function(name: str, count: int, where: str) -> Function:
    """Return a function.

    Args:
        name: in upper case.
        count: of arguments.
        where: its position, for the refusal.

    Raises:
        HanaError: 328 for a function that HANA does not have, 7 for one that is not simulated.
    """
    function = FUNCTIONS.get((name, count))
    if function is not None:
        return function
    least, build = MANY.get(name, (0, None))
    if build is not None and count >= least:
        return Function(build)
    if name in _NAMES:
        raise not_simulated(f"{name} with {count} arguments")
    if name in _NOT_SIMULATED:
        raise not_simulated(f"the function {name}")
    raise unknown_function(name, where)


def is_aggregate(call: tree.Call) -> bool:
    """Return whether a call aggregates rows."""
    function = FUNCTIONS.get((call.name, len(call.arguments)))
    return function is not None and function.is_aggregate and call.over is None
