"""Checks the syntax tree of a report's Mako template."""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, Final

from mako import parsetree  # type: ignore[import-untyped]  # Mako has no types

from erp_gateway.reports.html import formato

_PYTHON: Final = re.compile(r"\((\w+)\) (.*) \(<unknown>, line \d+\)")
_FORMAT: Final = re.compile(r"""(:[ +<>=^]?\d*[,_]?(\.\d+)?[a-z%]?|![ars])['"]\)$""")
_LINE: Final = re.compile(r"Fragment '(.*)' is not a partial control statement")


def in_words(reason: str) -> str:
    """Shorten a compiler's complaint for template authors and name the missing part."""
    if reason.startswith(r"Expected: \|,}"):
        return "a ${ has no } behind it"
    line = _LINE.match(reason)
    if line is not None and not line[1].endswith(":"):
        return f"% {line[1]} is no line of a template: is ':' missing at its end?"
    message = _PYTHON.sub(r"\2", reason)
    if _FORMAT.search(message):
        advice = "an expression has no format behind it, write formato.dinero(…) or formato.cantidad(…)"
        return f"{message}: {advice}"
    return message


# Mako's filters whose result contains no markup: for HTML, for XML and for a part of a URL.
_ESCAPING: Final = frozenset({"h", "x", "u"})

_JINJA: Final = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_REFERRING: Final = (parsetree.IncludeTag, parsetree.InheritTag, parsetree.NamespaceTag)
# The block of the shipped sheet that names the paper.
_PAPER: Final = "papel"


def problems(tree: Any, *, is_report: bool) -> Iterator[tuple[str, int]]:
    """Yield forbidden constructs of a template with their line.

    Args:
        tree: of its text.
        is_report: whether it is a report's main template, not a part.
    """
    nodes = list(_walk(tree))
    pages = [node for node in nodes if isinstance(node, parsetree.PageTag)]
    page_filters = [name for page in pages for name in page.filter_args.args]
    for node in nodes:
        if isinstance(node, parsetree.Expression):
            own = node.escapes_code.args
            filters = own if "n" in own else [*page_filters, *own]
            if "n" in filters and not _ESCAPING & set(filters):
                yield "the filter n switches escaping off; add h, x or u behind it", node.lineno
        elif isinstance(node, _REFERRING) and "${" in node.attributes.get("file", ""):
            yield "the name of a template must be written out", node.lineno
        elif isinstance(node, parsetree.BlockTag) and node.name == _PAPER:
            yield from _paper_problems(node)
    for page in pages:
        if is_report and page.body_decl.allargnames:
            yield "a report takes no page arguments; its template uses the names of its data", page.lineno


def _paper_problems(block: Any) -> Iterator[tuple[str, int]]:
    if all(isinstance(node, parsetree.Text) for node in block.nodes):
        try:
            formato.papel("".join(node.content for node in block.nodes))
        except ValueError as error:
            yield f"the block papel: {error}", block.lineno


def printed_as_it_stands(tree: Any) -> Iterator[tuple[str, int]]:
    """Yield syntax of other template languages that Mako prints literally, with its line."""
    for node in _walk(tree, into_plain=False):
        if isinstance(node, parsetree.Text):
            for missing in _JINJA.finditer(node.content):
                line = node.lineno + node.content.count("\n", 0, missing.start())
                shown = " ".join(missing[0].split())[:40]
                yield f"{shown!r} would be printed as it stands: Mako has ${{name}} and % if", line


def blocks_without_place(tree: Any, defined: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the blocks of an inheriting template that none of its ancestors defines.

    Nested blocks are left out: they are places for further inheritors.

    Args:
        tree: of the template's text.
        defined: names of all blocks of its ancestors.
    """
    names = sorted(defined)
    for node in tree.nodes:
        if isinstance(node, parsetree.BlockTag) and not node.is_anonymous and node.name not in names:
            close = get_close_matches(node.name, names, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(names) or 'none'}"
            yield f"the sheet has no block {node.name!r}, so its text would be printed; {hint}", node.lineno


def blocks_of(tree: Any) -> set[str]:
    """Return the names of a template's blocks."""
    return {
        node.name for node in _walk(tree) if isinstance(node, parsetree.BlockTag) and not node.is_anonymous
    }


def references(tree: Any) -> Iterator[Any]:
    """Yield the tags by which a template refers to others."""
    return (node for node in _walk(tree) if isinstance(node, _REFERRING) and "file" in node.attributes)


def inherits(tag: Any) -> bool:
    """Return whether a tag names the parent template."""
    return isinstance(tag, parsetree.InheritTag)


def _walk(node: Any, *, into_plain: bool = True) -> Iterator[Any]:
    for child in node.nodes:
        yield child
        if isinstance(child, parsetree.Tag) and (into_plain or not isinstance(child, parsetree.TextTag)):
            yield from _walk(child, into_plain=into_plain)
