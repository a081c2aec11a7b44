"""Set-up tries the browser's sandbox, because a container or the system may refuse it."""

from pathlib import Path

import pytest
from stack.modules import has_sandbox

REFUSES = 'case "$*" in *--no-sandbox*) ;; *) echo "No usable sandbox!" >&2; exit 133;; esac'
"""As Chromium does where user namespaces are forbidden, and to root."""

PRINTS = 'for each; do case $each in --print-to-pdf=*) echo "%PDF-" >"${each#*=}";; esac; done'


@pytest.mark.parametrize(
    ("script", "has"), [(f"{REFUSES}\n{PRINTS}", False), (PRINTS, True), ("exit 0", False)]
)
def test_the_sandbox_is_used_if_the_browser_can_print_with_it(tmp_path: Path, script: str, has: bool) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    browser.chmod(0o755)
    assert has_sandbox(browser) is has
