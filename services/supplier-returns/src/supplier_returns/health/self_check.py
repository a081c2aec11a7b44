"""What the image's health check runs: asks the service beside it over HTTP or HTTPS; exit 0 when it lives.

Run as: python -m supplier_returns.health.self_check

It imports nothing of the service, so that it costs little every ten seconds.
"""

import os
import ssl
import sys
import urllib.request
from collections.abc import Mapping
from typing import Final

_TIMEOUT_S: Final = 2
_OK: Final = 200


def address(environ: Mapping[str, str]) -> str:
    """Return where the service answers, from its own settings: HTTPS as soon as a certificate is named."""
    secure = environ.get("HTTPS_PFX_PATH") or environ.get("HTTPS_KEY_PATH")
    return f"{'https' if secure else 'http'}://127.0.0.1:{environ.get('PORT') or 3000}/api/health"


def main() -> int:
    """Ask once; return 0 or 1, and say why on standard error."""
    url = address(os.environ)
    # it asks itself on loopback, where no certificate can carry the name
    unchecked = ssl._create_unverified_context() if url.startswith("https") else None  # noqa: S323, SLF001
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_S, context=unchecked) as answer:  # noqa: S310
            return 0 if answer.status == _OK else 1
    except OSError as error:
        sys.stderr.write(f"{url}: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
