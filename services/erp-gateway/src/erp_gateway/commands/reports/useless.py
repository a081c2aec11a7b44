"""What of a template has no effect, since nothing in a report runs or is fetched."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

_USELESS: Final = (
    (re.compile(r"<script\b", re.IGNORECASE), "no script runs in a report; draw with inline SVG"),
    (re.compile(r"<link\b", re.IGNORECASE), "no style sheet is fetched; include it inside <style>"),
    (
        re.compile(
            r"@import\b|url\(\s*['\"]?(?!data:|#)|<img\b[^>]*\bsrc\s*=\s*['\"]?(?!data:|\$)", re.IGNORECASE
        ),
        "nothing is fetched; embed it as a `data:` URL",
    ),
    (
        re.compile(r"(?<![\w-])size\s*:[^;]*\b(carta|oficio)\b", re.IGNORECASE),
        "no style sheet knows this paper; write letter, or 216mm 330mm for Oficio",
    ),
)


def useless_parts(sources: Mapping[str, str]) -> Iterator[str]:
    """Yield what of templates has no effect, since nothing in a report runs or is fetched."""
    for file, text in sources.items():
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, reason in _USELESS:
                if pattern.search(line):
                    yield f"template {file}, line {number}: {reason}"
