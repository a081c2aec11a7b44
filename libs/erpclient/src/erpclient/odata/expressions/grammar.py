r"""The part of OData that a client may write, as regular expressions.

The grammar, in words of its own (``SP`` is one or more blanks, ``[x]`` optional, ``{x}`` repeated)::

    filter   := [SP] any [SP]
    any      := all { SP "or" SP all }
    all      := term { SP "and" SP term }
    term     := [ "not" [SP] ] "(" [SP] any [SP] ")"  |  [ "not" SP ] call  |  compare
    call     := ("startswith" | "endswith" | "contains") "(" [SP] name [SP] "," [SP] string [SP] ")"
              | "substringof" "(" [SP] string [SP] "," [SP] name [SP] ")"
    compare  := name SP ("eq" | "ne") SP (value | "null")  |  name SP ("gt" | "ge" | "lt" | "le") SP value
    value    := string | number | moment | name
    orderby  := name [SP ("asc" | "desc")] { [SP] "," [SP] name [SP ("asc" | "desc")] }
    select   := item { [SP] "," [SP] item }     item := "*" | name | collection "/" name
    expand   := collection { [SP] "," [SP] collection }

It is what the Service Layer takes (SAP's manual of the Service Layer, chapters on query options and on
limitations), less what a client of a gateway has no business with: no paths in ``$filter`` and ``$orderby``
(they would read linked records letter by letter), no property-free comparisons (``1 eq 1``), no arithmetic,
no lambdas (the Service Layer refuses them itself). Blank means U+0020 only; letters and digits are ASCII.

One match reads one whole condition with all that surrounds it, so that a filter costs a handful of matches.
Every quantifier over client text is possessive or bounded: matching stays linear. Over a group it is written
as an atomic group, ``(?>(?:x)*)``: Python before 3.11.5, as Debian's, reads ``(?:x)*+`` wrongly (gh-106052).
"""

import re
from functools import lru_cache
from typing import Final

from attrs import frozen

from erpclient.odata.limits import QueryLimits
from erpclient.odata.literals import UNTYPABLE
from erpclient.odata.resource_rules import OptionRules

COMPARISONS: Final = frozenset({"eq", "ne", "gt", "ge", "lt", "le"})
EQUALITIES: Final = frozenset({"eq", "ne"})
TEXT_FIRST_FUNCTION: Final = "substringof"
FUNCTIONS: Final = frozenset({"startswith", "endswith", "contains", TEXT_FIRST_FUNCTION})
RESERVED: Final = COMPARISONS | FUNCTIONS | {"and", "or", "not", "null", "true", "false", "nan", "inf"}
"""Reserved words, casefolded; they are rejected as property names in any letter case."""

_STRING: Final = rf"'[^'{UNTYPABLE}]*+(?>(?:''[^'{UNTYPABLE}]*+)*)'"
_MOMENT: Final = (
    r"datetime'[0-9]{4}(?:-[0-9]{2}-[0-9]{2}|[0-9]{4})"
    r"(?>(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?>(?::[0-5][0-9](?>(?:\.[0-9]{1,7}+)?))?))?)'"
)


@frozen(eq=False)
class Grammar:
    """Compiled patterns of one resource with their rules and limits.

    Attributes:
        rules: what the resource allows.
        limits: upper bounds.
        refused: reserved and denied words, casefolded.
        name: one property name, of any length.
        string: one string literal.
        moment: one date literal of OData 3.
        step: one condition of a filter with what surrounds it: ``openings``, a comparison (``left operator
            right``) or a call (``negation function name string``, or ``negation first_string last_name`` for
            ``substringof``), ``closings``, and the ``word`` that leads on; no word at the end of the text.
        select: a whole ``$select``.
        orderby: a whole ``$orderby``.
        expand: a whole ``$expand``.
    """

    rules: OptionRules
    limits: QueryLimits
    refused: frozenset[str]
    name: re.Pattern[str]
    string: re.Pattern[str]
    moment: re.Pattern[str]
    step: re.Pattern[str]
    select: re.Pattern[str]
    orderby: re.Pattern[str]
    expand: re.Pattern[str]


@lru_cache(maxsize=256)
def grammar_for(rules: OptionRules, limits: QueryLimits) -> Grammar:
    """Compile the patterns for one resource; cached by rules and limits."""
    rest = "(?![A-Za-z0-9_])"
    extra = "".join(f"{name}{rest}|" for name in sorted(rules.extra_names))
    name = f"(?:{extra}[A-Za-z_][A-Za-z0-9_]{{0,{limits.name_length - 1}}}+{rest})"
    number = f"-?[0-9]{{1,{limits.number_digits}}}+(?>(?:\\.[0-9]{{1,{limits.number_decimals}}}+)?)"
    step = (
        rf"(?P<openings>(?>(?:(?>(?:not\ *+)?)\(\ *+)*))"
        rf"(?:(?P<left>{name})\ ++(?P<operator>eq|ne|gt|ge|lt|le)\ ++"
        rf"(?P<right>{_STRING}|{number}|{_MOMENT}|{name})"
        rf"|(?>(?P<negation>not\ ++)?)(?:"
        rf"(?P<function>startswith|endswith|contains)"
        rf"\(\ *+(?P<name>{name})\ *+,\ *+(?P<string>{_STRING})\ *+\)"
        rf"|{TEXT_FIRST_FUNCTION}"
        rf"\(\ *+(?P<first_string>{_STRING})\ *+,\ *+(?P<last_name>{name})\ *+\)))"
        rf"(?P<closings>(?>(?:\ *+\))*))(?:\ ++(?P<word>and|or)\ ++|\ *+\Z)"
    )
    return Grammar(
        rules=rules,
        limits=limits,
        refused=RESERVED | rules.denied,
        name=re.compile(f"{extra}[A-Za-z_][A-Za-z0-9_]*+"),
        string=re.compile(_STRING),
        moment=re.compile(_MOMENT),
        step=re.compile(step),
        select=_list_of(rf"(?:\*|{name}(?>(?:/{name})?))"),
        orderby=_list_of(rf"{name}(?>(?:\ ++(?:asc|desc)(?![A-Za-z0-9_]))?)"),
        expand=_list_of(name),
    )


def _list_of(item: str) -> re.Pattern[str]:
    return re.compile(rf"{item}(?>(?:\ *+,\ *+{item})*)")
