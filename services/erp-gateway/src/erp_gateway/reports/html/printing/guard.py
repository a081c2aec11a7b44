"""Content security policy of printed documents: no scripts, no network."""

from typing import Final

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)

CONTENT_SECURITY_POLICY: Final = f"sandbox; {_POLICY}; frame-ancestors 'none'"
"""Policy of the response. As a header, `sandbox` and `frame-ancestors` apply too."""

GUARD: Final = (
    f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
)
"""Prefix of every document."""


def guarded(html: str) -> str:
    """Put the policy before everything else in the document.

    The document itself follows. An HTML parser then ignores its `<!doctype>` and `<head>` and takes over the
    attributes of its `<html>`. Nothing in the document can precede the policy, not even text before its
    `<head>` or inside a comment.
    """
    return GUARD + html.removeprefix("\ufeff")  # a byte order mark
