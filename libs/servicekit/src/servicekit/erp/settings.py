"""Rules for values that name something of the ERP."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from erpclient import certificate_files
from servicekit.config.declare import setting
from servicekit.config.parsers import Parser, http_url, path
from servicekit.config.plausibility import authority_problems
from servicekit.config.problems import Problem

AUTHORITY_FOLDER: Final = "ERP_CA_FOLDER"

_USER_FIELD: Final = re.compile(r"U_[A-Za-z0-9_]{1,48}")
_VERSIONED: Final = re.compile(r".*/v[12]")


def service_layer_url() -> Parser[str]:
    """An http(s) URL that ends with the version segment of the API, `/v1` or `/v2`."""
    any_url = http_url()

    def read(value: str) -> str:
        url = any_url.read(value)
        if not _VERSIONED.fullmatch(url):
            raise ValueError(value)
        return url

    return Parser(
        read,
        "an http or https URL that ends with /v1 or /v2, like https://10.0.0.5:50000/b1s/v2",
        "una URL http o https que termina en /v1 o /v2, como https://10.0.0.5:50000/b1s/v2",
    )


def user_field() -> Parser[str]:
    """The name of a user-defined field as the Service Layer shows it, with its prefix `U_`."""

    def read(value: str) -> str:
        if not _USER_FIELD.fullmatch(value):
            raise ValueError(value)
        return value

    return Parser(
        read,
        "the name of a user-defined field with its prefix, like U_GW_Clave",
        "el nombre de un campo de usuario con su prefijo, como U_GW_Clave",
    )


def authority_folder() -> Path | None:
    """Declare the setting of the folder with certificates of the ERP."""
    return setting(
        AUTHORITY_FOLDER,
        help="Folder of PEM files (.pem, .crt, .cer) to trust for the ERP in addition to the system's, "
        "if its _CA_FILE is unset.",
        parse=path(),
        default=None,
    )


def folder_problems(folder: Path | None) -> Iterator[Problem]:
    """Yield problems of the certificates in a folder, which may be missing or empty."""
    try:
        files = () if folder is None else certificate_files(folder)
    except OSError as error:
        yield Problem(
            AUTHORITY_FOLDER,
            f"{str(folder)!r} can't be read ({error.strerror})",
            f"{str(folder)!r} no se puede leer ({error.strerror})",
        )
        return
    for file in files:
        yield from authority_problems(AUTHORITY_FOLDER, file)


def trusted_authorities(file: Path | None, folder: Path | None) -> Path | None:
    """Return additional trusted authorities: the file, else a folder that is not empty."""
    if file is not None or folder is None:
        return file
    return folder if certificate_files(folder) else None
