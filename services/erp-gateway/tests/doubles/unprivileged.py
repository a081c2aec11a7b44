"""For a while, a process that may not do everything, also where the tests are run as root."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

NOBODY: Final = 65534


@contextmanager
def unprivileged_folder() -> Iterator[Path]:
    """Yield a new folder that everybody may look into."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Be nobody where this process is root's; nothing may be imported meanwhile."""
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
