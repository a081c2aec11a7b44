"""The rendered document with the policy that keeps it from running scripts and from fetching anything."""

import base64
import secrets
from typing import Final

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)

CONTENT_SECURITY_POLICY: Final = f"sandbox; {_POLICY}; frame-ancestors 'none'"
"""As a header, where `sandbox` and `frame-ancestors` count too: the latter as on every other answer."""

_GUARD: Final = (
    f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
)

_BYTE_ORDER_MARK: Final = "\ufeff"


def guarded(html: str) -> str:
    """Return the document with the policy in front of everything else.

    A document of its own follows: to a parser of HTML its `<!doctype>` and `<head>` are then superfluous and
    the attributes of its `<html>` are taken over. Nothing in it can come before the policy, not even what
    stands in front of its `<head>` or pretends to be one in a comment.
    """
    return _GUARD + html.removeprefix(_BYTE_ORDER_MARK)


def web_archive(html: str) -> bytes:
    """Return the document as a web archive (MHTML).

    A browser opens an archive in a sandbox: no script, nothing from outside the archive, and no navigation
    by `<meta http-equiv="refresh">`, which no content security policy stops. As a plain file of type HTML
    the same document went on to `file:///etc/…` and printed that (seen on Chromium 156).
    """
    boundary = secrets.token_hex(16)
    head = (
        "MIME-Version: 1.0\r\n"
        f'Content-Type: multipart/related; type="text/html"; boundary="{boundary}"\r\n\r\n'
        f"--{boundary}\r\n"
        "Content-Type: text/html; charset=utf-8\r\n"
        "Content-Transfer-Encoding: base64\r\n"
        "Content-Location: http://report.invalid/\r\n\r\n"
    )
    body = base64.encodebytes(html.encode("utf-8", "replace")).replace(b"\n", b"\r\n")
    return head.encode("ascii") + body + f"\r\n--{boundary}--\r\n".encode("ascii")
