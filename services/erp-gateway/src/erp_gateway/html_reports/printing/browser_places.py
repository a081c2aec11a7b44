"""Where headless browsers are installed on Linux, macOS and Windows."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

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
        configured: the one of the configuration; no other is looked for then.
        environ: the environment, for `PATH`, `HOME` and the folders of Windows.
        platform: as `sys.platform` names it.
    """
    candidates = iter([configured]) if configured is not None else usual_places(environ, platform)
    return next((path for path in candidates if path.is_file() and os.access(path, os.X_OK)), None)


def usual_places(environ: Mapping[str, str], platform: str) -> Iterator[Path]:
    """Yield where browsers usually are, the quickest to start first, whether there is one or not."""
    for name in _ON_PATH:
        found = shutil.which(name, path=environ.get("PATH", ""))
        if found is not None:
            yield Path(found)
    if platform == "darwin":
        homes = [Path(environ["HOME"])] if "HOME" in environ else []
        yield from (folder / "Applications" / app for folder in (Path("/"), *homes) for app in _MACOS)
    elif platform == "win32":
        roots = [Path(environ[name]) for name in _WINDOWS_ROOTS if name in environ]
        yield from (root / program for root in roots for program in _WINDOWS)
    else:
        yield from map(Path, _LINUX)
