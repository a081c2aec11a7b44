"""Printing with headless Chromium: one process per job, in a temporary folder.

The behaviour behind the switches was measured on Chromium 156 of Debian 12.
"""

import base64
import os
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import structlog
from attrs import define, field

from erp_gateway.reports.html.errors import BrowserUnavailable
from erp_gateway.reports.html.printing.engine import PDF_NAME
from erp_gateway.reports.html.printing.guard import GUARD

_log = structlog.get_logger(__name__)


def web_archive(html: str) -> bytes:
    """Return the document as a web archive (MHTML).

    A browser opens an archive in a sandbox: no scripts, no external resources, and no navigation by `<meta
    http-equiv="refresh">`, which no content security policy prevents. As a plain HTML file the same document
    navigated to `file:///etc/…` and printed it (seen on Chromium 156).
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


_DEFAULT_PAPER: Final = "<style>@page { size: A4 }</style>\n"
# A `size` that turns the paper without naming one. The repetitions are bounded, because the text may come
# from a user.
_NO_PAPER: Final = re.compile(
    r"(@page[^{}]{0,200}\{[^{}]{0,2000}?(?<![-\w])size\s{0,20}:\s{0,20})(?:(landscape|portrait)|auto|initial)"
    r"(?=\s{0,20}[;}!])",
    re.IGNORECASE,
)


def on_a4(html: str) -> str:
    """Set A4 for pages that name no paper.

    The browser's default is Letter, WeasyPrint's is A4, and no switch changes that (seen on Chromium 156).

    Args:
        html: the document, guarded.
    """
    styled = _NO_PAPER.sub(
        lambda candidates: f"{candidates[1]}A4 {candidates[2] or ''}", html.removeprefix(GUARD)
    )
    return GUARD + _DEFAULT_PAPER + styled


_ON_PATH: Final = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "microsoft-edge-stable",
    "microsoft-edge",
)
_LINUX: Final = (
    "/opt/google/chrome/chrome",
    "/opt/microsoft/msedge/msedge",
    "/usr/lib/chromium/chromium",
    "/snap/bin/chromium",
)
_MACOS: Final = (
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Chromium.app/Contents/MacOS/Chromium",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
_WINDOWS: Final = (
    "Google/Chrome/Application/chrome.exe",
    "Chromium/Application/chrome.exe",
    "Microsoft/Edge/Application/msedge.exe",
)
_WINDOWS_ROOTS: Final = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")


def find_browser(
    configured: Path | None, environ: Mapping[str, str], *, platform: str = sys.platform
) -> Path | None:
    """Return the browser to print with, or None.

    Args:
        configured: the configured browser; then no other is searched.
        environ: the environment, for `PATH`, `HOME` and the folders of Windows.
        platform: as `sys.platform` names it.
    """
    candidates = iter([configured]) if configured is not None else usual_places(environ, platform)
    return next((path for path in candidates if path.is_file() and os.access(path, os.X_OK)), None)


def usual_places(environ: Mapping[str, str], platform: str) -> Iterator[Path]:
    """Yield the usual paths of browsers, the fastest to start first, whether or not they exist."""
    for name in _ON_PATH:
        candidates = shutil.which(name, path=environ.get("PATH", ""))
        if candidates is not None:
            yield Path(candidates)
    if platform == "darwin":
        homes = [Path(environ["HOME"])] if "HOME" in environ else []
        yield from (folder / "Applications" / app for folder in (Path("/"), *homes) for app in _MACOS)
    elif platform == "win32":
        roots = [Path(environ[name]) for name in _WINDOWS_ROOTS if name in environ]
        yield from (root / program for root in roots for program in _WINDOWS)
    else:
        yield from map(Path, _LINUX)


_DOCUMENT: Final = "document.mhtml"

_SWITCHES: Final = (
    "--headless",
    "--no-pdf-header-footer",
    "--disable-pdf-tagging",  # tagged PDFs are 17 times as large and take twice the time
    "--disable-gpu",
    "--disable-dev-shm-usage",  # a container's /dev/shm has 64 MB
    "--host-resolver-rules=MAP * ~NOTFOUND",  # also blocks numeric addresses
    "--proxy-server=http://127.0.0.1:1",  # a port without a listener
    "--proxy-bypass-list=<-loopback>",  # use the blocking proxy for this machine's own addresses too
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
)


@define(eq=False, repr=False)
class BrowserEngine:
    """Prints with the configured browser, or one in the usual places.

    A browser does not start its own sandbox as root, and many containers forbid it for all users. The sandbox
    is on by default.

    Args:
        browser: the browser; None to look in the usual places.
        sandbox: whether the browser's own sandbox is on.
        environ: the environment of this process.
        is_root: whether this process runs as root.
    """

    _browser: Path | None
    _sandbox: bool = field(kw_only=True)
    _environ: Mapping[str, str] = field(kw_only=True)
    _is_root: Callable[[], bool] = field(default=lambda: os.geteuid() == 0, kw_only=True)

    def find(self) -> Path:
        """Return the browser.

        Raises:
            BrowserUnavailable: there is none, or it would refuse to start; the log has the reason.
        """
        candidates = find_browser(self._browser, self._environ)
        reason = self._why_not(candidates)
        if candidates is None or reason is not None:
            _log.warning("pdf_browser_unavailable", reason=reason)
            raise BrowserUnavailable(reason or "")
        return candidates

    def prepare(self, html: str, folder: Path) -> Sequence[str]:
        """Write the document as a web archive; see `PdfEngine`."""
        browser = self.find()
        document = folder / _DOCUMENT
        document.write_bytes(web_archive(on_a4(html)))
        return [
            str(browser),
            *_SWITCHES,
            *([] if self._sandbox else ["--no-sandbox"]),
            f"--user-data-dir={folder / 'profile'}",
            f"--print-to-pdf={folder / PDF_NAME}",
            document.as_uri(),
        ]

    def _why_not(self, candidates: Path | None) -> str | None:
        if candidates is None:
            return (
                "there is none in the usual places"
                if self._browser is None
                else f"BROWSER_BIN: {self._browser} is no executable file"
            )
        if self._sandbox and self._is_root():
            return (
                "as root the browser's sandbox does not start: run the service as another user, "
                "or set HTML_PDF_SANDBOX=false"
            )
        return None
