"""Runs the clients' scripts in surroundings of their own, below `build/foreign-clients`."""

import json
import shutil
import subprocess
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stack.company import COMPANY, ERP_PASSWORD, ERP_USER
from stack.processes import Child, clean_environment
from stack.stack import PROGRAMS

from erpsim.hana.process import PASSWORD, USER
from servicekit.testing.ports import free_port
from tools.foreign_clients.clients import NODE_CLIENTS, PYTHON_CLIENTS, Client
from tools.foreign_clients.cloud_sdk import make_client
from tools.foreign_clients.demo_queries import ten_queries
from tools.foreign_clients.table import Trial
from tools.node import SkippedError, node_environ, run
from tools.packages import ROOT

_HERE = Path(__file__).parent
_PATIENCE_S = 300


@dataclass(frozen=True)
class Erp:
    """The simulated ERP: port, certificate and the variables for scripts."""

    port: int
    authority: Path
    told: Mapping[str, str]


@contextmanager
def running_erp(folder: Path) -> Iterator[Erp]:
    """Run the small company over TLS, with its database, while the context lasts."""
    # pyb1slayer strips "b1s/v1/" off its address letter by letter, and a last 1 of the port with it.
    port = next(each for each in iter(free_port, 0) if each % 10 != 1)
    hana, control, authority = free_port(), free_port(), folder / "authority.pem"
    command = [str(PROGRAMS / "erpsim"), "serve", "--tls", "--public-host", "localhost", "--penalty", "0"]
    command += ["--seed", "small", "--port", str(port), "--hana-port", str(hana)]
    command += ["--control-port", str(control), "--certificate-file", str(authority)]
    queries = folder / "queries.json"
    queries.write_text(json.dumps(ten_queries()), encoding="utf-8")
    result = {
        "ERP_PORT": str(port),
        "ERP_COMPANY": COMPANY,
        "ERP_USER": ERP_USER,
        "ERP_PASSWORD": ERP_PASSWORD,
        "HANA_PORT": str(hana),
        "HANA_USER": USER,
        "HANA_PASSWORD": PASSWORD,
        "QUERIES": str(queries),
        **dict.fromkeys(("CA_FILE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"), str(authority)),
    }
    log = folder / "erpsim.log"
    log.unlink(missing_ok=True)
    with Child("erpsim", command, log=log, environ=clean_environment(), cwd=folder) as child:
        child.wait_until_it_answers(control, "/")
        yield Erp(port, authority, result)


def python_trials(folder: Path, erp: Erp) -> Iterator[Trial]:
    """Try the clients in Python.

    Raises:
        SkippedError: pip could not fetch them.
    """
    home = folder / "python"
    venv.create(home, clear=True, with_pip=True)
    python = str(home / "bin/python")
    packages = [
        name for client in PYTHON_CLIENTS for name in (f"{client.name}=={client.version}", *client.with_it)
    ]
    done = subprocess.run(
        [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *packages],
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise SkippedError("pip could not fetch the clients: " + " ".join(done.stderr.split())[-300:])
    for client in PYTHON_CLIENTS:
        command = [python, "-W", "ignore", "-m", f"tools.foreign_clients.{client.script}"]
        yield from _trials(client, command, clean_environment(**erp.told), ROOT)


def node_trials(folder: Path, erp: Erp) -> Iterator[Trial]:
    """Run the clients for Node.

    Raises:
        SkippedError: Node or the clients could not be fetched.
        subprocess.CalledProcessError: npm failed otherwise, or the Cloud SDK generated no client.
    """
    environ = node_environ()
    home = folder / "node"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    (home / "package.json").write_text('{ "private": true }', encoding="utf-8")
    packages = [
        name for client in NODE_CLIENTS for name in (f"{client.name}@{client.version}", *client.with_it)
    ]
    run(["npm", "install", "--save-exact", "--ignore-scripts", *packages], environ, cwd=home)
    make_client(home, erp.port, erp.authority, environ)
    for script in _HERE.glob("*.mjs"):
        shutil.copy(script, home)
    result = {**clean_environment(**erp.told), "PATH": environ["PATH"]}
    for client in NODE_CLIENTS:
        yield from _trials(client, ["node", client.script], result, home)


def _trials(client: Client, command: Sequence[str], environ: Mapping[str, str], cwd: Path) -> Iterator[Trial]:
    for version in client.erp_versions:
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**environ, "ERP_VERSION": version},
            check=False,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
        )
        result = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"call"')]
        ended = {each["call"]: each["error"] for each in result}
        if done.returncode != 0:
            ended["the script itself"] = " ".join(done.stderr.split())[-300:]
        yield Trial(client, version, ended)
