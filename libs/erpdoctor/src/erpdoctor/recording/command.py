"""`doctor --record FILE`: what is told of a record that is made."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TextIO

from erpclient import ErpError, ErpLoginRejected
from erpdoctor.service_layer.session import login_refused

_NOT_RECORDED: Final = 2


def record_into(
    file: Path, make: Callable[[], None], *, faults: tuple[type[Exception], ...] = (), err: TextIO
) -> int:
    """Have a new file made, and tell in Spanish what came of it; return the exit code, 0 or 2.

    Args:
        file: the new one; where it is there already, nothing is asked of anybody.
        make: makes it.
        faults: errors that say what is wrong with the installation, besides those of the ERP and of files.
        err: where it is told.
    """
    if file.exists():
        err.write(f"{file} ya existe y no se sobrescribe.\n")
        return _NOT_RECORDED
    known: tuple[type[Exception], ...] = (ErpError, OSError, UnicodeDecodeError, *faults)
    try:
        make()
    except ErpLoginRejected as error:
        err.write(f"{login_refused(error.code)}\n")
        return _NOT_RECORDED
    except known as error:
        err.write(f"No se pudo registrar: {error}\n")
        return _NOT_RECORDED
    err.write(f"{file}: escrito; no contiene datos de la empresa. Úselo con `erpsim serve --like`.\n")
    return 0
