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
"""Identity, time and size of each file, or None while a file is missing."""


class CertificateRenewal:
    """Watches the configured files and serves their new content.

    An unusable certificate is logged once: a key that does not match yet, or a file that is half written. The
    old certificate stays until a file changes again.

    Args:
        context: TLS context of the server.
        files: files that the context was created from.
        clock: time for the check of the certificate's validity.
    """

    def __init__(self, context: ssl.SSLContext, files: CertificateFiles, clock: Clock) -> None:
        self._context = context
        self._files = files
        self._clock = clock
        self._last_signature = _signature(files)

    async def check(self) -> bool:
        """Check once. Return whether a new certificate is used from now on."""
        return await asyncio.to_thread(self._check)

    def _check(self) -> bool:
        current = _signature(self._files)
        if current == self._last_signature:
            return False
        # Remember the files even if they are unusable, so that the warning is logged only once.
        self._last_signature = current
        try:
            check_certificate(self._files, now=self._clock.now())
            use_certificate(self._context, self._files)
        except (CertificateError, OSError) as error:  # ssl.SSLError is an OSError
            _log.warning("certificate_not_renewed", reason=str(error))
            return False
        _log.info("certificate_renewed")
        return True


def _signature(files: CertificateFiles) -> Signature:
    return tuple(_identity(path) for path in (files.bundle, files.key, files.certificate) if path is not None)


def _identity(path: Path) -> tuple[int, int, int] | None:
    try:
        file = path.stat()
    except OSError:
        return None
    return file.st_ino, file.st_mtime_ns, file.st_size
