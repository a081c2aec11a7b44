"""Serves a renewed certificate without a restart."""

import asyncio
import ssl
from pathlib import Path

import structlog

from servicekit.clock import Clock
from supplier_returns.certificates.files import CertificateError, CertificateFiles
from supplier_returns.certificates.loading import check_certificate
from supplier_returns.certificates.serving import use_certificate

_log = structlog.get_logger(__name__)


Signature = tuple[tuple[int, int, int] | None, ...]
"""Of each file: which it is, when it was written, how long it is; None while it is not there."""


class CertificateRenewal:
    """Looks whether the configured files have changed, and serves with what they hold now.

    A certificate that can't be used (a key that does not belong to it yet, a file half written) is told once
    and looked at again when a file changes; the one in use stays.

    Args:
        context: What HTTPS is served with.
        files: As it was made from.
        clock: Tells whether a certificate is valid today.
    """

    def __init__(self, context: ssl.SSLContext, files: CertificateFiles, clock: Clock) -> None:
        self._context = context
        self._files = files
        self._clock = clock
        self._seen = _signature(files)

    async def check(self) -> bool:
        """Look once; return whether a new certificate is served from now on."""
        return await asyncio.to_thread(self._check)

    def _check(self) -> bool:
        found = _signature(self._files)
        if found == self._seen:
            return False
        self._seen = found
        try:
            check_certificate(self._files, now=self._clock.now())
            use_certificate(self._context, self._files)
        except (CertificateError, OSError) as error:  # ssl.SSLError is an OSError
            _log.warning("certificate_not_renewed", reason=str(error))
            return False
        _log.info("certificate_renewed")
        return True


def _signature(files: CertificateFiles) -> Signature:
    return tuple(_facts(path) for path in (files.bundle, files.key, files.certificate) if path is not None)


def _facts(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
