"""What the image's health check runs: asks the service beside it over HTTP or HTTPS; exit 0 when it lives.

Run as: python -m supplier_returns.health.self_check

No proxy of the environment is asked. It imports nothing of the service, so that it costs little every ten
seconds.
"""

import os
import ssl
import sys
from collections.abc import Mapping
from typing import Final
from urllib.request import HTTPSHandler, ProxyHandler, build_opener

_TIMEOUT_S: Final = 2
_OK: Final = 200
_OF_ALL: Final = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - asked only


def address(environ: Mapping[str, str]) -> str:
    """Return where the service answers, from its own settings: HTTPS as soon as a certificate is named."""
    secure = environ.get("HTTPS_PFX_PATH") or environ.get("HTTPS_KEY_PATH")
    host = environ.get("HOST", "")
    host = _OF_ALL.get(host, host)
    name = f"[{host}]" if ":" in host else host
    return f"{'https' if secure else 'http'}://{name}:{environ.get('PORT') or 3000}/api/health"


def main() -> int:
    """Ask once; return 0 or 1, and say why on standard error."""
    url = address(os.environ)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # it asks itself by an address, which no certificate has to carry
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
