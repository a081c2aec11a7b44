"""Certificate authorities that an installation brings: one PEM file, or a folder of them."""

import ssl
from pathlib import Path
from typing import Final

CERTIFICATE_SUFFIXES: Final = (".pem", ".crt", ".cer")
"""Suffixes of the certificate files in a folder. Others and hidden files are ignored."""


def certificate_files(place: Path) -> tuple[Path, ...]:
    """Return the certificate files of a folder in order, or the file itself.

    A missing folder has none.

    Raises:
        OSError: the folder can't be listed.
    """
    if place.is_file():
        return (place,)
    if not place.is_dir():
        return ()
    return tuple(sorted(each for each in place.iterdir() if _is_certificate(each)))


def _is_certificate(file: Path) -> bool:
    is_explicit = file.suffix.lower() in CERTIFICATE_SUFFIXES and not file.name.startswith(".")
    return is_explicit and file.is_file()


def load_authorities(context: ssl.SSLContext, place: Path) -> None:
    """Trust the certificates of a file, or of each file of a folder.

    Raises:
        OSError: a file can't be read, or contains no certificate (`ssl.SSLError` is an `OSError`).
    """
    for file in certificate_files(place) if place.is_dir() else (place,):
        context.load_verify_locations(cafile=file)
