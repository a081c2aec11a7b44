"""Plausibility checks of a configuration that loads, for `check-config`.

Opens files, never the network.
"""

import ssl
import stat
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import attrs

from servicekit.config.declare import Group, all_settings, declarations
from servicekit.config.load import CONFIG_FILE, declared_names, read_file_values, read_texts
from servicekit.config.problems import Problem
from servicekit.tls import trusting_alone

_NEAR: Final = 2
_LEAST_LETTERS: Final = 6


def plain_http(name: str) -> Problem:
    """Return the production warning about an address that `is_readable`."""
    return Problem(
        name,
        "is plain http: passwords cross the network readable; use the ERP's https address",
        "es http sin cifrar: las contraseñas cruzan la red a la vista; use la dirección https del ERP",
    )


def is_readable(url: str) -> bool:
    """Return whether traffic to an http(s) address can be read in transit: no TLS, and another host."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        local = ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    return not (parts.scheme == "https" or local)


def half_configured(cls: type[Any], environ: Mapping[str, str]) -> Iterator[Problem]:
    """Yield each setting that has no effect because the switch of its group is unset.

    Settings with a default are not listed, because a default may be written down.

    Args:
        cls: the outermost settings class.
        environ: the process environment; it names the configuration file, too.
    """
    texts = read_texts(cls, environ)
    for group in _switched(cls):
        if texts.get(group.when or "", "").strip():
            continue
        for _, declared in all_settings(group.cls):
            names = [declared.name, *([f"{declared.name}_FILE"] if declared.secret else [])]
            for name in names:
                if declared.default in (attrs.NOTHING, None) and texts.get(name, "").strip():
                    yield Problem(
                        name,
                        f"has no effect without {group.when}; allowed: both, or neither",
                        f"no tiene efecto sin {group.when}; se admite: los dos, o ninguno",
                    )


def open_secrets(cls: type[Any], environ: Mapping[str, str]) -> Path | None:
    """Return the configuration file if it contains a secret and every user of this system can read it.

    Args:
        cls: the outermost settings class.
        environ: the process environment; it names the configuration file.
    """
    file, values = read_file_values(environ)
    secrets = (declared.name for _, declared in all_settings(cls) if declared.secret)
    if not any(values.get(name, "").strip() for name in secrets):
        return None
    return file if file.stat().st_mode & stat.S_IROTH else None


def _switched(cls: type[Any]) -> Iterator[Group]:
    for _, declared in declarations(cls):
        if isinstance(declared, Group):
            if declared.when is not None:
                yield declared
            yield from _switched(declared.cls)


def similar_names(
    cls: type[Any], environ: Mapping[str, str], *, own_prefixes: Sequence[str] = ()
) -> Iterator[Problem]:
    """Yield each environment variable that looks like a misspelt setting.

    It is within two edits (insert, delete, replace or swap) of a name with six letters or more.

    Args:
        cls: the outermost settings class.
        environ: the process environment.
        own_prefixes: unknown names that begin with one of these are faults of the configuration already.
    """
    names = declared_names(cls) | {CONFIG_FILE}
    long = sorted(name for name in names if sum(map(str.isalpha, name)) >= _LEAST_LETTERS)
    for name in sorted(set(environ) - names):
        if name.startswith(tuple(own_prefixes)):
            continue
        near = [(edits(name.upper(), other, most=_NEAR), other) for other in long]
        distance, other = min(near)
        if distance <= _NEAR:
            yield Problem(
                name,
                f"is no setting of this service; did you mean {other}?",
                f"no es un ajuste de este servicio; ¿quiso decir {other}?",
            )


def edits(one: str, other: str, *, most: int) -> int:
    """Count the edits between two texts, by optimal string alignment: two swapped neighbours are one edit.

    If the lengths differ by more than `most`, the count stops early.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: Sequence[int] = ()
    last: Sequence[int] = range(len(other) + 1)
    for row, character in enumerate(one, start=1):
        line = [row]
        for column, expected in enumerate(other, start=1):
            cost = min(last[column] + 1, line[column - 1] + 1, last[column - 1] + (character != expected))
            if row > 1 and column > 1 and one[row - 2 : row] == expected + other[column - 2]:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, last = last, line
    return last[-1]


def authority_problems(name: str, file: Path | None) -> Iterator[Problem]:
    """Yield problems of a file of certificate authorities.

    Args:
        name: the setting.
        file: its value.
    """
    if file is None:
        return
    if not file.is_file():
        yield _authority_problem(
            name, f"there is no file {str(file)!r}", f"no existe el archivo {str(file)!r}"
        )
        return
    try:
        trusting_alone(file)
    except ssl.SSLError:
        yield _authority_problem(
            name, f"{str(file)!r} holds no certificate", f"{str(file)!r} no contiene ningún certificado"
        )
    except OSError as error:
        yield _authority_problem(
            name,
            f"{str(file)!r} can't be read ({error.strerror})",
            f"{str(file)!r} no se puede leer ({error.strerror})",
        )


def _authority_problem(name: str, text: str, spanish: str) -> Problem:
    return Problem(
        name, f"{text}; allowed: a readable PEM file", f"{spanish}; se admite: un archivo PEM legible"
    )
