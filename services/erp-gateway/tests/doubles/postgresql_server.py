"""A real PostgreSQL on loopback, in a folder of its own, as long as a block runs; never the machine's own."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from erp_gateway.store.places import PostgresPlace
from servicekit.config import Secret
from servicekit.testing.ports import free_port

NOBODY = 65534
"""Whom it runs as where the tests are run by root, whom the server refuses."""

START_S = 30.0
STOP_S = 30.0
PASSWORD = "s3cret-of-the-store"

_FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "shared_buffers=16MB")
_LOOPBACK = "127.0.0.1"


def find_binaries() -> Path | None:
    """Return the folder of the server's programs, the newest where there are some, or None without any."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda file: int(file.parts[4]))
    if debian:
        return debian[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


class PostgresServer:
    """A server that may be stopped, started and killed; made by `run_postgresql`."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self.binaries = binaries
        self.port = free_port()
        self._folder = folder
        self._numbers = count(1)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The server's own process."""
        assert self._process is not None
        return self._process.pid

    def url(self, database: str) -> str:
        """Return the URL of a database, with a password in it."""
        return f"postgresql://app:{PASSWORD}@{_LOOPBACK}:{self.port}/{database}"

    def place(self, database: str) -> PostgresPlace:
        """Return the place of a store in a database."""
        return PostgresPlace(Secret(self.url(database)))

    def new_database(self, template: str = "template0", *, text: str = "ENCODING 'UTF8'") -> str:
        """Make a database and return its name; `text` says how it writes and sorts."""
        name = f"store{next(self._numbers)}"
        self.ask(f"CREATE DATABASE {name} TEMPLATE {template} {text}")
        return name

    def drop_database(self, name: str) -> None:
        """Remove a database and whoever is connected to it."""
        self.ask(f"DROP DATABASE {name} WITH (FORCE)")

    def ask(self, sql: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run one statement on a connection of its own."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def create(self) -> None:
        """Make the files of a server that knows one user."""
        password_file = self._folder / "password"
        password_file.write_text(PASSWORD)
        password_file.chmod(0o644)
        self._run("initdb", "-D", self._data, "-U", "app", "-A", "scram-sha-256", "--pwfile", password_file,
                  "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")  # fmt: skip

    def start(self) -> None:
        """Start it and wait until it takes connections."""
        settings = [part for setting in _FAST for part in ("-c", setting)]
        command = self._command(
            "postgres", "-D", self._data, "-k", self._folder, "-h", _LOOPBACK, "-p", self.port, *settings
        )
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder)
        until = time.monotonic() + START_S
        while True:
            try:
                self.ask("SELECT 1")
            except psycopg.OperationalError as error:
                if self._process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError((self._folder / "log").read_text()) from error
                time.sleep(0.02)
            else:
                return

    def new_follower(self) -> "PostgresServer":
        """Return a second server, which does not run yet; see `followed_by`."""
        return PostgresServer(self.binaries, self._folder / "follower")

    @contextmanager
    def followed_by(self, other: "PostgresServer") -> Iterator[None]:
        """Restart, and run the other one on a copy of the files: it takes no writes, as one that follows."""
        self.stop()
        try:
            shutil.copytree(self._data, other._data)
            (other._data / "standby.signal").touch()
            if os.getuid() == 0:
                for path in [other._folder, *other._folder.rglob("*")]:
                    os.chown(path, NOBODY, NOBODY)
        finally:
            self.start()
        try:
            other.start()
            yield
        finally:
            other.stop(signal.SIGQUIT)
            shutil.rmtree(other._folder)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT lets its connections end, SIGQUIT and SIGKILL do not."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
                process.send_signal(how)
            process.wait(STOP_S)

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def _run(self, program: str, *arguments: object) -> None:
        done = subprocess.run(self._command(program, *arguments), check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def _command(self, program: str, *arguments: object) -> Sequence[str]:
        result = [str(self.binaries / program), *map(str, arguments)]
        who = f"--reuid={NOBODY} --regid={NOBODY} --clear-groups".split() if os.getuid() == 0 else []
        # it ends with the tests, however those end
        return ["setpriv", "--pdeathsig", "QUIT", *who, "env", "LC_ALL=C.UTF-8", *result]


@contextmanager
def run_postgresql(binaries: Path) -> Iterator[PostgresServer]:
    """Run a server in a new folder, and remove both on leaving."""
    folder = Path(tempfile.mkdtemp(prefix="store-postgresql-"))
    folder.chmod(0o755)
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    server = PostgresServer(binaries, folder)
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.stop(signal.SIGQUIT)
        shutil.rmtree(folder, ignore_errors=True)
