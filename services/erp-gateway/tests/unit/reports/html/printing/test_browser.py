"""Looking for a browser: the configured one, or the usual places of three systems."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from erp_gateway.reports.html.errors import BrowserUnavailable
from erp_gateway.reports.html.printing.browser import BrowserEngine, find_browser, usual_places


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_only_the_configured_browser_is_used(tmp_path: Path) -> None:
    on_path = program(tmp_path / "chromium")
    configured = program(tmp_path / "other" / "mine")
    environ = {"PATH": str(tmp_path)}
    assert find_browser(configured, environ) == configured
    assert find_browser(tmp_path / "absent", environ) is None
    assert find_browser(None, environ) == on_path


def test_a_file_that_can_not_run_is_not_a_browser(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("x")
    assert find_browser(text, {}) is None
    assert find_browser(tmp_path, {}) is None


def test_the_headless_shell_comes_first(tmp_path: Path) -> None:
    for name in ("google-chrome", "chromium", "chromium-headless-shell", "microsoft-edge"):
        program(tmp_path / name)
    assert find_browser(None, {"PATH": str(tmp_path)}) == tmp_path / "chromium-headless-shell"


def test_linux_has_usual_paths_outside_the_path_variable() -> None:
    assert Path("/opt/google/chrome/chrome") in usual_places({}, "linux")
    assert Path("/usr/lib/chromium/chromium") in usual_places({}, "linux")


def test_macos_has_applications_of_all_and_of_one() -> None:
    chrome = "Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    places = list(usual_places({"HOME": "/Users/ana"}, "darwin"))
    assert Path("/", chrome) in places
    assert Path("/Users/ana", chrome) in places
    assert len(places) == len(set(places)) == 6


def test_windows_has_three_folders_of_programs() -> None:
    environ = {"PROGRAMFILES": "/pf", "PROGRAMFILES(X86)": "/pf86", "LOCALAPPDATA": "/local"}
    places = list(usual_places(environ, "win32"))
    assert Path("/pf/Google/Chrome/Application/chrome.exe") in places
    assert Path("/pf86/Microsoft/Edge/Application/msedge.exe") in places
    assert len(places) == 9


def test_a_missing_browser_is_reported_with_its_reason(tmp_path: Path) -> None:
    absent = BrowserEngine(tmp_path / "absent", sandbox=False, environ={})
    with capture_logs() as logs, pytest.raises(BrowserUnavailable):
        absent.find()
    assert "BROWSER_BIN" in logs[0]["reason"]


def test_the_sandbox_is_on_unless_it_is_switched_off(tmp_path: Path) -> None:
    browser = program(tmp_path / "browser")
    without = BrowserEngine(browser, sandbox=False, environ={}, is_root=lambda: True)
    assert "--no-sandbox" in without.prepare("x", tmp_path)
    with_one = BrowserEngine(browser, sandbox=True, environ={}, is_root=lambda: False)
    assert "--no-sandbox" not in with_one.prepare("x", tmp_path)


def test_root_is_refused_while_the_sandbox_is_on(tmp_path: Path) -> None:
    engine = BrowserEngine(program(tmp_path / "browser"), sandbox=True, environ={}, is_root=lambda: True)
    with capture_logs() as logs, pytest.raises(BrowserUnavailable):
        engine.prepare("x", tmp_path)
    assert "HTML_PDF_SANDBOX=false" in logs[0]["reason"]
