"""Content security policy of printed documents: no scripts, no network."""

from typing import Final

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)

CONTENT_SECURITY_POLICY: Final = f"sandbox; {_POLICY}; frame-ancestors 'none'"
"""As a header, where `sandbox` and `frame-ancestors` count too: the latter as on every other answer."""

GUARD: Final = (
    f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
)
"""What stands in front of every document."""


def guarded(html: str) -> str:
    """Return the document with the policy in front of everything else.

    A document of its own follows: to a parser of HTML its `<!doctype>` and `<head>` are then superfluous and
    the attributes of its `<html>` are taken over. Nothing in it can come before the policy, not even what
    stands in front of its `<head>` or pretends to be one in a comment.
    """
    return GUARD + html.removeprefix("\ufeff")  # a byte order mark
