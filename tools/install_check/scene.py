"""The day of an administrator on a new machine, in namespaces of its own."""

import asyncio
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from erpsim.desk import Desk
from erpsim.simulator import Listening, run_sim
from tools.browser.own_network import raise_loopback
from tools.install_check.machine import command_in, mounted
from tools.packages import ROOT

PAGE = ROOT / "docs" / "install.md"
SECTION = "## Without containers\n"
MARK = "# on the host, as root\n"
OPERATE = ROOT / "docs" / "operate.md"
ERP_HOST = "sap.example"
PASSWORD = 'con #"comillas" y $HOME'
"""Password with blanks, a hash, quotes and a dollar, which careless parsers of settings cut or change."""

NEW_PASSWORD = "otra \\clave' #3"
CLIENT = "127.0.0.2"
UNITS = (
    *("erp-gateway.service", "supplier-returns.service", "erp-origin.service"),
    *("erp-gateway-backup.service", "erp-gateway-backup.timer"),
    *("erp-gateway-doctor.service", "erp-gateway-doctor.timer"),
)
MODES = {
    "etc/erp-services/gateway.env": (0o640, "erp-gateway"),
    "etc/erp-services/returns.env": (0o640, "supplier-returns"),
    "etc/erp-services/secrets/erp_sl_password": (0o640, "erp-gateway"),
}


class StepFailed(Exception):  # noqa: N818 - it is a verdict
    """A step failed."""


def page_commands() -> list[str]:
    """Return the blocks of the page that are typed on the host."""
    section = PAGE.read_text("utf-8").partition(SECTION)[2].partition("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    return [block for block in blocks if block.startswith(MARK)]


def operate_commands(heading: str, containing: str) -> str:
    """Return the block of a section of docs/operate.md that contains a command.

    Raises:
        StepFailed: the page has no such block, or several.
    """
    section = OPERATE.read_text("utf-8").partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    blocks: list[str] = [
        each for each in re.findall(r"```(?:ba)?sh\n(.*?)```", section, re.DOTALL) if containing in each
    ]
    if len(blocks) != 1:
        raise StepFailed(f"{heading} has {len(blocks)} blocks with {containing}")
    return blocks[0]


class Machine:
    """The machine, on which commands run, and the ERP that it is installed against."""

    def __init__(self, root: Path, desk: Desk) -> None:
        self.root = root
        self.desk = desk

    async def run(self, *command: str, stdin: str = "", **environ: str) -> str:
        """Run a command on the machine; return its output.

        Raises:
            StepFailed: it failed; the text has the end of its output.
        """
        words = command_in(
            self.root, "env", *(f"{name}={value}" for name, value in environ.items()), *command
        )
        process = await asyncio.create_subprocess_exec(
            *words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        said, complaints = await process.communicate(stdin.encode())
        text = said.decode(errors="replace")
        if process.returncode:
            ended = f"{' '.join(command[:2])} … {command[-1][-80:]}: exit {process.returncode}"
            raise StepFailed(f"{ended}\n{text[-3000:]}{complaints.decode()[-3000:]}")
        return text

    async def curl(self, path: str, *options: str) -> str:
        """Send a request to nginx from another address than its own."""
        return await self.run("curl", "-fsS", "--retry", "20", "--retry-all-errors", "--retry-delay", "1",
                              "--interface", CLIENT, *options, f"http://127.0.0.1{path}")  # fmt: skip

    def lines(self, place: str) -> list[dict[str, Any]]:
        """Return the JSON lines of a log."""
        text = (self.root / place).read_text("utf-8", errors="replace")
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


async def install(machine: Machine) -> None:
    """Run the commands of the page. All succeed, except for warnings of the doctor."""
    secret = machine.root / "root" / "password"
    secret.write_text(PASSWORD)
    answers = {
        "ERP_SL_URL": f"https://{ERP_HOST}:50000/b1s/v2",
        "ERP_SL_COMPANY_DB": "SBO_DEMO",
        "ERP_SL_USER": "manager",
        "ERP_SL_PASSWORD_FILE": "/root/password",
        "ADMIN_WEB_USERS": "ana",
        "DB_TYPE": "HANA",
    }
    typed = "".join(page_commands())
    script = f"exec 2>&1; set -uo pipefail; cd /root; trap 'echo \"FAILED: $BASH_COMMAND\"' ERR\n{typed}"
    said = await machine.run("bash", "-c", script + "\ntrue", **answers)
    print(said, flush=True)
    failed = [
        line
        for line in said.splitlines()
        if line.startswith("FAILED: ") and line != "FAILED: erp-gateway doctor"
    ]
    if failed or not typed:
        raise StepFailed("\n".join(failed) or "the page has no commands")
    if "SHA-256: " not in said or "Por corregir" in said:
        raise StepFailed("no fingerprint was printed, or the doctor found failures")


async def units(machine: Machine) -> None:
    """systemd's check finds no problem with the units."""
    places = [f"/etc/systemd/system/{unit}" for unit in UNITS]
    said = await machine.run("bash", "-c", f"systemd-analyze verify --man=no {' '.join(places)} 2>&1")
    complaints = [
        line for line in said.splitlines() if "/etc/systemd/system/erp-" in line or "supplier" in line
    ]
    if complaints:
        raise StepFailed("\n".join(complaints))


async def modes(machine: Machine) -> None:
    """Only its service can read settings and secrets; no settings file contains a password."""
    await modes_of(machine)
    if (machine.root / "etc/erp-services/secrets/erp_sl_password").read_text() != PASSWORD:
        raise StepFailed("the password is not what was typed")
    if PASSWORD in (machine.root / "etc/erp-services/gateway.env").read_text():
        raise StepFailed("the password is in gateway.env")


async def modes_of(machine: Machine) -> None:
    """Demand owners and modes of settings and secrets.

    Raises:
        StepFailed: one differs.
    """
    for place, (mode, group) in MODES.items():
        found = (await machine.run("stat", "-c", "%a %U %G", f"/{place}")).split()
        if found != [f"{mode:o}", "root", group]:
            raise StepFailed(f"{place}: {found}")


async def sign_in(machine: Machine) -> None:
    """Sign in through nginx; nginx's and the gateway's log lines show the client's address."""
    body = json.dumps({"username": "ana", "password": "ana-demo"})
    answer = json.loads(
        await machine.curl("/api/auth/login", "-H", "Content-Type: application/json", "-d", body)
    )
    if not answer.get("token"):
        raise StepFailed(str(answer))
    token = f"Authorization: Bearer {answer['token']}"
    if '"value"' not in await machine.curl("/api/sl/Items?%24top=1", "-H", token):
        raise StepFailed("no item comes from the ERP")
    nginx = [
        each["client"] for each in machine.lines("var/log/erp-origin/access.log") if each["method"] == "POST"
    ]
    gateway = [
        each["client_ip"]
        for each in machine.lines("var/log/erp-gateway.service.journal")
        if each.get("route") == "/api/auth/login"
    ]
    if not nginx or set(nginx) != {CLIENT} or not gateway or set(gateway) != {CLIENT}:
        raise StepFailed(f"the addresses are {nginx} and {gateway}")
    print(f"     nginx and the gateway log the client as {nginx[-1]}", flush=True)


async def others(machine: Machine) -> None:
    """supplier-returns and the console respond."""
    await machine.curl("/devoluciones/api/health")
    if "<title>" not in await machine.curl("/consola/"):
        raise StepFailed("no console")
    for service in ("erp-gateway", "supplier-returns"):
        users = await machine.run("ps", "-C", service, "-o", "user:20=") if shutil.which("ps") else ""
        if "root" in users:
            raise StepFailed(f"{service} runs as root")


async def timers(machine: Machine) -> None:
    """The commands of the timers work as their user: a restorable backup, a doctor's report."""
    for unit in ("erp-gateway-backup", "erp-gateway-doctor"):
        await machine.run("systemctl", "start", unit)
    (copy,) = (machine.root / "var/backups/erp-gateway").glob("gateway-*.sqlite")
    place = f"/{copy.relative_to(machine.root)}"
    print(await machine.run("erp-gateway", "restore", "--check", place), flush=True)
    report = json.loads((machine.root / "var/lib/erp-gateway/doctor.json").read_text("utf-8"))
    if report["outcome"] == "fail":
        raise StepFailed(f"the doctor's report: {report['counts']}")


async def rotate(machine: Machine) -> None:
    """logrotate renames nginx's log, and nginx writes into the new one."""
    await machine.run("logrotate", "--force", "/etc/logrotate.d/erp-origin")
    await machine.curl("/api/health")
    await asyncio.sleep(1)
    if not machine.lines("var/log/erp-origin/access.log"):
        raise StepFailed("nginx does not write into the new log")


async def new_password(machine: Machine) -> None:
    """The ERP user gets another password as docs/operate.md says; the doctor logs in with it."""
    machine.desk.change("Users", 1, {"UserPassword": NEW_PASSWORD})
    typed = operate_commands("## A new password for the ERP user", "systemctl restart")
    said = await machine.run("bash", "-c", f"{typed}\ntrue", stdin=f"{NEW_PASSWORD}\n")
    if "Por corregir" in said or "service-layer.login" not in said:
        raise StepFailed(said)
    if (machine.root / "etc/erp-services/secrets/erp_sl_password").read_text() != NEW_PASSWORD:
        raise StepFailed("the password is not what was typed")
    await modes_of(machine)
    await sign_in(machine)


async def restore(machine: Machine) -> None:
    """The store is lost and restored from the copy as docs/operate.md says."""
    (copy,) = (machine.root / "var/backups/erp-gateway").glob("gateway-*.sqlite")
    typed = operate_commands("### Restore", "systemctl stop erp-gateway")
    typed = re.sub(r"gateway-[0-9TZ]+\.sqlite", copy.name, typed)
    lost = "systemctl stop erp-gateway; rm /var/lib/erp-gateway/app.sqlite*"
    said = await machine.run("bash", "-c", f"set -e\n{lost}\n{typed}")
    if "each follows from the one before it" not in said:
        raise StepFailed(said)
    await sign_in(machine)


async def upgrade(machine: Machine) -> None:
    """The same commands again ask nothing and keep the settings; the services restart."""
    kept = {place: (machine.root / place).read_bytes() for place in MODES}
    said = await machine.run("bash", "-c", "cd /root/erp-services-*/ && sh deploy/install.sh host")
    commands = said.partition("\nNext:\n")[2]
    if "no questions" not in said or "systemctl restart" not in commands:
        raise StepFailed(said)
    await machine.run("bash", "-c", f"{commands}\ntrue")
    if {place: (machine.root / place).read_bytes() for place in MODES} != kept:
        raise StepFailed("settings or password changed")
    await modes_of(machine)
    await sign_in(machine)


async def end(machine: Machine) -> None:
    """Everything stops in an orderly way."""
    await machine.run("systemctl", "stop", "erp-origin", "erp-gateway", "supplier-returns")
    for name in ("erp-gateway", "supplier-returns"):
        events = [each.get("event") for each in machine.lines(f"var/log/{name}.service.journal")]
        if "shutdown_finished" not in events[-5:]:
            raise StepFailed(f"the last lines of {name}: {events[-5:]}")


STEPS = (
    *(install, units, modes, sign_in, others, timers, rotate),
    *(new_password, restore, upgrade, end),
)


async def walk(root: Path) -> bool:
    """Run the steps; return whether all passed."""
    (root / "etc/hosts").write_text(f"127.0.0.1 localhost {ERP_HOST}\n")
    listening = Listening(port=50000, tls=True, public_host=ERP_HOST)
    async with run_sim(listening=listening, seed="full") as sim:
        machine = Machine(root, Desk(sim.world))
        machine.desk.change("Users", 1, {"UserPassword": PASSWORD})
        for step in STEPS:
            try:
                await step(machine)
            except (StepFailed, OSError, ValueError, KeyError) as error:
                print(f"FAIL {step.__name__}: {error}", flush=True)
                for log in sorted((root / "var/log").glob("*.journal")):
                    print(f"--- {log.name}\n{log.read_text(errors='replace')[-1500:]}", flush=True)
                return False
            print(f"ok   {step.__name__}: {(step.__doc__ or '').strip()}", flush=True)
    return True


def main() -> int:
    """Bring up the loopback, mount the file systems, and run the steps."""
    root = Path(sys.argv[1])
    raise_loopback()
    with mounted(root):
        return 0 if asyncio.run(walk(root)) else 1


if __name__ == "__main__":
    sys.exit(main())
