"""Templates of reports in Mako: forced escaping, no undefined names, no files outside the folder.

Defaults of Mako 1.3 that are changed or checked here (tried on 1.4.3): nothing is escaped without a filter,
`${x | n}` disables all default filters, `None` is printed as a word, and a misspelt name in a condition is
false. A template is Python without a sandbox: templates come only with the code of an installation.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from mako import exceptions  # type: ignore[import-untyped]  # Mako has no types
from mako.lexer import Lexer  # type: ignore[import-untyped]  # as above
from mako.lookup import TemplateLookup  # type: ignore[import-untyped]  # as above
from mako.runtime import Context  # type: ignore[import-untyped]  # as above

from erp_gateway.reports.html.errors import (
    DocumentTooLongError,
    RenderingAbandonedError,
    TemplateError,
    TemplateFailedError,
)
from erp_gateway.reports.html.issue import Issue
from erp_gateway.reports.html.template_checks import (
    blocks_of,
    blocks_without_place,
    in_words,
    inherits,
    printed_as_it_stands,
    problems,
    references,
)

MAX_CHARS: Final = 16 * 1024 * 1024
"""Maximum document length; some 2,000 pages of a table."""

SHIPPED: Final = Path(__file__).resolve().parent / "shipped"
"""Shipped templates that every report may inherit from or include, besides those of its own folder."""

_UNDEFINED: Final = re.compile(r"'(\w+)' is not defined")


def none_as_empty(value: object) -> object:
    """Return the text to print, empty for None. The first of the default filters."""
    return "" if value is None else value


class ReportTemplate:
    """One compiled template, with the folder that it may include from.

    All included, inherited or imported templates are compiled and checked with it. Changed files take effect
    at the next start.

    Args:
        folder: the only folder with templates.
        name: name of the template inside the folder.

    Attributes:
        sources: the text of each of its files, by name below the folder.
        mistakes: syntax that would be printed literally, with file and line.

    Raises:
        TemplateError: folder or template are missing, a template does not compile or lets text through
            unescaped.
    """

    def __init__(self, folder: Path, name: str) -> None:
        if not folder.is_dir():
            raise TemplateError(f"there is no folder {folder}")
        self._folder = folder.resolve()
        self._lookup = TemplateLookup(
            directories=[str(self._folder), str(SHIPPED)],
            input_encoding="utf-8",
            strict_undefined=True,
            default_filters=["none_as_empty", "h"],
            imports=[f"from {__name__} import none_as_empty", "from erp_gateway.reports.html import formato"],
            filesystem_checks=False,
        )
        self._name = name
        self.sources: dict[str, str] = {}
        self.mistakes = tuple(self._check_all())

    def render(self, names: Mapping[str, object], is_abandoned: Callable[[], bool] = lambda: False) -> str:
        """Render the template; call it in a thread.

        Args:
            names: names for the template; any other is an error.
            is_abandoned: returns whether the client has left; called at each write of the template.

        Raises:
            TemplateFailedError: an error of the template.
            DocumentTooLongError: the document does not fit into `MAX_CHARS`.
            RenderingAbandonedError: the client has left.
        """
        document = _BoundedText(is_abandoned)
        template = self._lookup.get_template(self._name)
        try:
            template.render_context(Context(document, **{"informe": Issue(), **names}))
        except (DocumentTooLongError, RenderingAbandonedError):
            raise
        except Exception as error:
            raise self._located(error) from error
        return document.text

    def _check_all(self) -> list[str]:
        """Compile and check the template and all its references; return `mistakes`."""
        trees: dict[str, Any] = {}
        above: dict[str, str] = {}
        mistakes: list[str] = []
        open_names: list[tuple[str, Path | None, int | None]] = [(self._name, None, None)]
        while open_names:
            name, named_in, named_at = open_names.pop()
            if name in trees:
                continue
            trees[name], path = self._parsed(name, named_in, named_at)
            for problem, line in problems(trees[name], is_report=name == self._name):
                raise TemplateError(problem, path, line)
            mistakes += [_at(path, line, each) for each, line in printed_as_it_stands(trees[name])]
            for tag in references(trees[name]):
                other = self._lookup.adjust_uri(tag.attributes["file"], name)
                open_names.append((other, path, tag.lineno))
                if inherits(tag):
                    above[name] = other
        return [*self._strays(trees, above), *mistakes]

    def _strays(self, trees: Mapping[str, Any], above: Mapping[str, str]) -> Iterator[str]:
        defined: set[str] = set()
        names = [self._name]
        while above.get(names[-1], self._name) not in names:
            names.append(above[names[-1]])
            defined |= blocks_of(trees[names[-1]])
        if len(names) > 1:
            for each, line in blocks_without_place(trees[self._name], defined):
                yield _at(Path(self._name.lstrip("/")), line, each)

    def _parsed(self, name: str, named_in: Path | None, named_at: int | None) -> tuple[Any, Path]:
        template = self._get(name, named_in, named_at)
        path = Path(template.filename).resolve()
        if path.is_relative_to(SHIPPED):
            file = path.relative_to(SHIPPED)
        elif path.is_relative_to(self._folder):
            file = path.relative_to(self._folder)
        else:
            raise TemplateError(f"template {name!r} lies outside the folder {self._folder}")
        self.sources[str(file)] = template.source
        return Lexer(template.source, filename=template.filename).parse(), file

    def _get(self, name: str, named_in: Path | None, named_at: int | None) -> Any:
        try:
            return self._lookup.get_template(name)
        except exceptions.TemplateLookupException as error:
            reason = f"there is no template {name!r} in the folder {self._folder}"
            raise TemplateError(reason, named_in, named_at) from error
        except (exceptions.CompileException, exceptions.SyntaxException) as error:
            reason = str(error).partition(" in file ")[0].partition(" in string ")[0]
            raise TemplateError(
                f"does not compile: {in_words(reason)}", name.lstrip("/"), error.lineno
            ) from error
        except SyntaxError as error:  # of the Python that the template became
            line = self._line_with(name, error.text)
            raise TemplateError(f"does not compile: {error.msg}", name.lstrip("/"), line) from error
        except OSError as error:
            raise TemplateError(f"template {name!r} can't be read: {error}") from error

    def _line_with(self, name: str, text: str | None) -> int:
        """Return the first line of a template with a text; 1 without one."""
        lines = (self._folder / name.lstrip("/")).read_text(encoding="utf-8", errors="replace").splitlines()
        searched = (text or "").strip()
        return next((number for number, line in enumerate(lines, 1) if searched and searched in line), 1)

    def _located(self, error: Exception) -> TemplateFailedError:
        for record in exceptions.RichTraceback(error, error.__traceback__).reverse_records:
            file, line = record[4], record[5]
            if line is None:
                continue
            root = next((root for root in (self._folder, SHIPPED) if Path(file).is_relative_to(root)), None)
            if root is not None:
                name = str(Path(file).relative_to(root))
                # Mako looks names up before the first line of the template runs.
                return TemplateFailedError(name, line or self._line_using(name, error), error)
        return TemplateFailedError(self._name, None, error)

    def _line_using(self, name: str, error: Exception) -> int | None:
        undefined = _UNDEFINED.match(str(error))
        word = re.compile(rf"(?:\$\{{|^\s*%|<%).*\b{re.escape(undefined[1])}\b") if undefined else None
        lines = enumerate(self.sources.get(name, "").splitlines(), 1)
        return next((number for number, line in lines if word is not None and word.search(line)), None)


def _at(file: Path, line: int, reason: str) -> str:
    return f"template {file}, line {line}: {reason}"


class _BoundedText:
    """Output buffer for Mako with a maximum length."""

    def __init__(self, is_abandoned: Callable[[], bool]) -> None:
        self._is_abandoned = is_abandoned
        self._parts: list[str] = []
        self._chars = 0

    def write(self, text: str) -> None:
        self._chars += len(text)
        if self._chars > MAX_CHARS:
            raise DocumentTooLongError
        if self._is_abandoned():
            raise RenderingAbandonedError
        self._parts.append(text)

    @property
    def text(self) -> str:
        return "".join(self._parts)
