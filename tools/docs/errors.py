"""Tables of docs/errors.md: the first paragraph of each error class, with its code and status."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import partial

import erp_gateway
import servicekit
import supplier_returns
from servicekit.errors import ServiceError, error_classes
from tools.docs.part import Part, table

PACKAGES = (servicekit, erp_gateway, supplier_returns)
_STARTS_A_PROCESS = re.compile(r"\.(__main__|self_check)$")
_PAGE = re.compile(r"\(docs/([\w-]+\.md)")


class UndocumentedError(ValueError):
    """An error class has no sentence of its own. The text names the class."""


def load_all() -> None:
    """Import every module, so that every error class is defined."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not _STARTS_A_PROCESS.search(module.name):
                importlib.import_module(module.name)


def rows(package: str) -> Iterator[tuple[str, str, str]]:
    """Yield the rows of the errors that a package defines, by status and code.

    A class has no row of its own if it only varies another one: if servicekit has its code and status, or a
    class from which it derives.

    Raises:
        UndocumentedError: a class has no docstring, or shares code and status with an unrelated one.
    """
    found: dict[tuple[int, str], str] = {}
    shared = set() if package == "servicekit" else set(map(_identity, error_classes(package="servicekit")))
    for error in error_classes(package=package):
        identity = _identity(error)
        if error.__module__.partition(".")[0] != package or identity in {*shared, *_inherited(error)}:
            continue
        if not error.__doc__ or identity in found:
            raise UndocumentedError(f"{error.__module__}.{error.__qualname__} needs a sentence of its own")
        found[identity] = sentence(error)
    for (status, code), text in sorted(found.items()):
        yield f"`{code}`", str(status), text


def _identity(error: type[ServiceError]) -> tuple[int, str]:
    return error.status, error.code


def _inherited(error: type[ServiceError]) -> Iterator[tuple[int, str]]:
    bases = (base for base in error.__mro__[1:] if issubclass(base, ServiceError))
    return (_identity(base) for base in bases if base is not ServiceError)


def sentence(error: type[ServiceError]) -> str:
    """Return the first paragraph of a class's docstring, its links as docs/errors.md writes them."""
    first = inspect.cleandoc(error.__doc__ or "").partition("\n\n")[0]
    return _PAGE.sub(r"(\1", " ".join(first.split()))


def errors_table(package: str) -> str:
    """Return the table of the errors that a package defines."""
    load_all()
    return table(("Code", "Status", "Meaning"), rows(package))


PARTS = tuple(
    Part("docs/errors.md", partial(errors_table, package.__name__), markers=f"errors of {package.__name__}")
    for package in PACKAGES
)
