"""Health check of the container image: requests the local service over HTTP or HTTPS, and exits with 0 or 1.

Run as: python -m supplier_returns.health.self_check

It ignores proxies of the environment. It runs every ten seconds, so it imports nothing of the service.
"""

import os
import ssl
import sys
from collections.abc import Mapping
from typing import Final
from urllib.request import HTTPSHandler, ProxyHandler, build_opener

_TIMEOUT_S: Final = 2
_OK: Final = 200
_OF_ALL: Final = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - addresses to connect to


def address(environ: Mapping[str, str]) -> str:
    """Return the URL of the service from its settings. It is HTTPS if a certificate is configured."""
    secure = environ.get("HTTPS_PFX_PATH") or environ.get("HTTPS_KEY_PATH")
    host = environ.get("HOST", "")
    host = _OF_ALL.get(host, host)
    name = f"[{host}]" if ":" in host else host
    return f"{'https' if secure else 'http'}://{name}:{environ.get('PORT') or 3000}/api/health"


def main() -> int:
    """Send one request. Return 0 or 1, and write the reason to standard error."""
    url = address(os.environ)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # It connects to an IP address, which the certificate need not contain.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    opener = build_opener(ProxyHandler({}), HTTPSHandler(context=context))
    try:
        with opener.open(url, timeout=_TIMEOUT_S) as answer:
            return 0 if answer.status == _OK else 1
    except OSError as error:
        sys.stderr.write(f"{url}: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
