"""`doctor --save-certificate`: fetch the ERP's certificate, so that it can be compared and trusted."""

import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TextIO

from erpdoctor.network.presented import Certificate, names_shown, read_presented, shown
from erpdoctor.network.reaching import Address

STDOUT: Final = "-"
_DAY: Final = "%Y-%m-%d"
_NOT_SAVED: Final = 1

_TEXTS: Final = {
    "names": ("Nombres", "Names"),
    "issuer": ("Emitido por", "Issued by"),
    "self_signed": ("él mismo", "itself"),
    "valid": ("Válido", "Valid"),
    "no_address": (
        "No hay ninguna dirección https configurada; revise {names}.",
        "No https address is configured; check {names}.",
    ),
    "none": (
        "no responde con TLS; no se guardó nada. `doctor --only network` dice por qué.",
        "does not answer with TLS; nothing was saved. `doctor --only network` says why.",
    ),
    "compare": (
        "Compare cada huella SHA-256 con la que ve en el propio servidor antes de confiar en ella.",
        "Compare each SHA-256 fingerprint with the one shown on that server itself before you trust it.",
    ),
    "renewal": (
        "Guarde mejor el certificado de quien lo emitió: así no hay que repetir esto en cada renovación.",
        "Better save the issuer's own certificate: then you need not repeat this at each renewal.",
    ),
    "saved": ("Guardado en {file}.", "Saved to {file}."),
    "not_written": ("No se pudo escribir {file}: {error}.", "{file} can't be written: {error}."),
}


async def save_certificates(
    urls: Sequence[str], file: str, *, names: str, english: bool, out: TextIO, err: TextIO
) -> int:
    """Save the certificates that servers present, and print their fingerprints.

    Nothing is saved unless every server presents one.

    Args:
        urls: addresses; those without https are left out.
        file: path of the PEM file, replaced if it exists; `-` for `out`.
        names: settings that hold the addresses, for the text when there is none.
        english: whether texts are English instead of Spanish.
        out: takes the certificates if `file` is `-`.
        err: receives the messages.

    Returns:
        exit code: 0 saved, 1 not.
    """
    text = {key: pair[english] for key, pair in _TEXTS.items()}
    try:
        addresses = [each for each in dict.fromkeys(map(Address.of, urls)) if each.tls and each.host]
    except ValueError:  # of a port
        addresses = []
    if not addresses:
        err.write(f"error: {text['no_address'].format(names=names)}\n")
        return _NOT_SAVED
    certificates: list[Certificate] = []
    for address in addresses:
        presented = await read_presented(address)
        if presented is None:
            err.write(f"error: {address.shown} {text['none']}\n")
            return _NOT_SAVED
        certificates.append(presented)
        err.writelines(f"{line}\n" for line in _described(address, presented, text))
    pem = "".join(ssl.DER_cert_to_PEM_cert(each) for each in dict.fromkeys(one.der for one in certificates))
    try:
        _write(pem, file, out)
    except OSError as error:
        err.write(f"error: {text['not_written'].format(file=file, error=error.strerror)}\n")
        return _NOT_SAVED
    if file != STDOUT:
        err.write(f"{text['saved'].format(file=file)}\n")
    err.write(f"{text['compare']}\n")
    if not all(each.is_self_signed for each in certificates):
        err.write(f"{text['renewal']}\n")
    return 0


def _described(address: Address, presented: Certificate, text: dict[str, str]) -> list[str]:
    lines = [address.shown, f"  SHA-256: {presented.fingerprint}"]
    if presented.issuer:
        issuer = text["self_signed"] if presented.is_self_signed else shown(presented.issuer)
        lines += [
            f"  {text['names']}: {names_shown(presented)}",
            f"  {text['issuer']}: {issuer}",
            f"  {text['valid']}: {presented.since:{_DAY}} - {presented.until:{_DAY}}",
        ]
    return lines


def _write(pem: str, file: str, out: TextIO) -> None:
    if file == STDOUT:
        out.write(pem)
        out.flush()
        return
    place = Path(file)
    new_file = place.with_name(f"{place.name}.new")
    new_file.write_text(pem, encoding="ascii")
    new_file.replace(place)
