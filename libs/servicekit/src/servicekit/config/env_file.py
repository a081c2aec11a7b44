"""The configuration file: lines `NAME=value`."""

import re
from typing import Final

import attrs

_LINE: Final = re.compile(r"\s*(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?P<rest>.*?)\s*")
_DOUBLE: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\s*#.*|)')
_SINGLE: Final = re.compile(r"'([^']*)'(?:\s*#.*|)")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {"\\": "\\", '"': '"', "n": "\n", "t": "\t"}


@attrs.frozen
class LineFault:
    """A line that can't be read: its number and the reason in both languages, without the value."""

    line: int
    reason: str
    spanish: str


@attrs.frozen
class EnvFile:
    """Names and values of a file, and its faults.

    `cut` contains the names whose unquoted values end at a `#` on the same line.
    """

    values: dict[str, str]
    faults: tuple[LineFault, ...]
    cut: tuple[str, ...] = ()


def parse_env_file(content: str) -> EnvFile:
    r"""Read the text of a configuration file: lines `NAME=value`, as of a `.env`, without surprises.

    - `# comment` lines and empty lines are skipped; `export NAME=value` is accepted.
    - An unquoted value ends at the end of the line or at a blank and `#`; blanks around it are dropped.
    - `'…'` is literal; `"…"` knows the escapes `\\`, `\"`, `\n` and `\t`. Nothing is expanded.
    - A value has one line, and a name occurs once.
    """
    values: dict[str, str] = {}
    faults: list[LineFault] = []
    cut: list[str] = []
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            name, value = _parse_line(line)
            if name in values:
                raise _UnreadableError(f"{name} is set a second time", f"{name} está por segunda vez")  # noqa: TRY301 - one road for all faults of a line
            values[name] = value
            if _is_cut(line):
                cut.append(name)
        except _UnreadableError as error:
            faults.append(LineFault(number, error.reason, error.spanish))
    return EnvFile(values, tuple(faults), tuple(cut))


class _UnreadableError(Exception):
    def __init__(self, reason: str, spanish: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.spanish = spanish


def _is_cut(line: str) -> bool:
    text = line.partition("=")[2]
    if text.startswith("#"):
        return True
    rest = text.strip()
    return not rest.startswith(("'", '"', "#")) and _COMMENT.search(rest) is not None


def _parse_line(line: str) -> tuple[str, str]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise _UnreadableError("not of the form NAME=value", "no tiene la forma NOMBRE=valor")
    return match["name"], _parse_value(match["rest"])


def _parse_value(rest: str) -> str:
    if rest.startswith("'"):
        match = _SINGLE.fullmatch(rest)
        if match is None:
            raise _open_quote("'")
        return match[1]
    if rest.startswith('"'):
        match = _DOUBLE.fullmatch(rest)
        if match is None:
            raise _open_quote('"')
        if any(escape not in _ESCAPES for escape in _ESCAPE.findall(match[1])):
            raise _UnreadableError(
                r"unknown escape between double quotes (known: \\ \" \n \t); single quotes are literal",
                r"escape desconocido entre comillas dobles (se admiten: \\ \" \n \t); use comillas simples",
            )
        return _ESCAPE.sub(lambda escape: _ESCAPES[escape[1]], match[1])
    return _COMMENT.sub("", rest)


def _open_quote(quote: str) -> _UnreadableError:
    return _UnreadableError(
        f"the quote {quote} is not closed, or something follows it",
        f"la comilla {quote} no se cierra, o algo la sigue",
    )
