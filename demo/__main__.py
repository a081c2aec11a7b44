"""Start the local stack, take the tour, and keep serving (`make demo`) or say how it went (`make tour`).

Run as: python -m demo [--port N] [--tour] [--narrate]
"""

import argparse
import shutil
import signal
import sys
import tempfile
from functools import partial
from pathlib import Path

from stack.addresses import any_addresses
from stack.company import ERP_PASSWORD, ERP_USER, WAREHOUSE_USER
from stack.processes import LOOPBACK, ChildFailedError, leave_on_signals, port_is_free
from stack.stack import LocalStack, local_stack, service_layer

from demo import modules
from demo.client import Client
from demo.company import TRACE_FIELD, add_trace_field, lose_next_answer
from demo.pdf import FOLDER
from demo.steps import STEPS
from demo.steps.returns import SHEET, WAREHOUSE
from demo.tour import ADMINISTRATOR, CLERK, PASSWORDS, Tour, run_steps

PENALTY_S = 7.0
"""What the real ERP charges for a parallel call of one session, as far as is known."""

GATEWAY_SETTINGS = {
    "ADMIN_WEB_USERS": ADMINISTRATOR,
    "DOCS_ENABLED": "true",
    "WRITE_TRACE_FIELD": TRACE_FIELD,
    "WRITE_TRACE_LOOKS": "2,5,15",
    **modules.EXTENSION_SETTINGS,
}
RETURNS_SETTINGS = {"DOCS_ENABLED": "true"}


def main() -> int:
    """Read the arguments and run; return 0 when every step held."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--port", type=int, default=0, help="where nginx serves; 0 takes any free port")
    parser.add_argument("--tour", action="store_true", help="end after the tour")
    parser.add_argument("--narrate", action="store_true", help="show each request and answer of the tour")
    options = parser.parse_args()
    if options.port and not port_is_free(options.port):
        print(f"Port {options.port} is taken: another program listens there. Choose one: make demo PORT=8081")
        return 1
    leave_on_signals()
    try:
        with tempfile.TemporaryDirectory(prefix="erp-demo-") as folder:
            return demonstrate(Path(folder), options)
    except KeyboardInterrupt:
        print("\nStopped.")
        return 0
    except ChildFailedError as error:
        print(f"The demo could not start: {error}")
        return 1


def demonstrate(folder: Path, options: argparse.Namespace) -> int:
    """Run the stack and the tour; return the exit code of the tour."""
    print("Starting the simulated ERP, its database, the gateway, supplier-returns and nginx …", flush=True)
    addresses = any_addresses(origin=options.port or None)
    with local_stack(
        folder,
        addresses=addresses,
        penalty_s=PENALTY_S,
        gateway_settings={**GATEWAY_SETTINGS, **modules.database_settings(folder)},
        returns_settings=RETURNS_SETTINGS,
    ) as stack:
        if options.narrate:
            introduce(stack)
        add_trace_field(addresses.erpsim)
        lose_answer = partial(lose_next_answer, addresses.control)
        clients = Client(addresses.origin), Client(addresses.returns_origin)
        tour = Tour(*clients, FOLDER, lose_answer, modules.is_database_live())
        failed = run_steps(STEPS, tour, narrated=options.narrate)
        print(f"Its documents are in {FOLDER}. Each request and answer: NARRATE=1", flush=True)
        if failed:
            keep_logs(stack, FOLDER / "logs")
        if not options.tour:
            print_addresses(stack)
            if failed:
                print(f"\nFailed above: {', '.join(each.partition(':')[0] for each in failed)}")
            print("\nServing until Ctrl-C.", flush=True)
            signal.pause()
    return 1 if failed else 0


def keep_logs(stack: LocalStack, folder: Path) -> None:
    """Keep what the processes told, which else goes with them, and say where."""
    folder.mkdir(parents=True, exist_ok=True)
    for child in (stack.erpsim, stack.gateway, stack.returns, stack.nginx):
        shutil.copy(child.log, folder)
    print(f"What the processes told meanwhile: {folder}")


def introduce(stack: LocalStack) -> None:
    """Tell what runs."""
    at = stack.addresses
    print(f"  simulated ERP   {service_layer(at)}, {PENALTY_S:g} s for a parallel call")
    print(f"  report gateway  http://{LOOPBACK}:{at.report_gateway}, of the ERP: makes its PDFs")
    print(f"  tax documents   http://{LOOPBACK}:{at.tax_documents}, a provider: folios and guides as PDF")
    print(f"  ERP database    {modules.describe_database()}")
    print(f"  gateway         http://{LOOPBACK}:{at.gateway} with the extension {modules.EXTENSION}")
    print(f"  prints HTML by  {modules.describe_printer()}")
    print(f"  returns         http://{LOOPBACK}:{at.returns}")
    print(f"  nginx           http://{LOOPBACK}:{at.origin}, the one origin that people use")
    print(
        f"                  http://{LOOPBACK}:{at.returns_origin}, returns alone, by its contract's own paths"
    )


def print_addresses(stack: LocalStack) -> None:
    """Tell where to look, who to be, and how a program asks."""
    at = stack.addresses
    origin = f"http://{LOOPBACK}:{at.origin}"
    web = " or ".join(f"{user} / {PASSWORDS[user]}" for user in (ADMINISTRATOR, CLERK))
    erp = " or ".join(f"{user} / {ERP_PASSWORD}" for user in (ERP_USER, WAREHOUSE_USER))
    print(f"""
The console   {origin}/consola/
  records, reports, administration: {web}
  returns to suppliers:             {erp}
The APIs      {origin}/api/docs and, signed in, {origin}/devoluciones/api/docs
A sheet       {FOLDER / SHEET} to paste for a return (warehouse {WAREHOUSE})
Metrics       http://{LOOPBACK}:{at.metrics}/metrics
By a program:
{example(origin, CLERK, PASSWORDS[CLERK])}""")


def example(origin: str, web_user: str, password: str) -> str:
    """Return commands for a shell: a login, and a request with its token."""
    body = f'{{"username": "{web_user}", "password": "{password}"}}'
    return f"""\
  TOKEN=$(curl -s {origin}/api/auth/login -H 'Content-Type: application/json' \\
    -d '{body}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -s -H "Authorization: Bearer $TOKEN" \\
    "{origin}/api/sl/Orders?\\$top=2&\\$select=DocNum,CardName,DocTotal\""""


if __name__ == "__main__":
    sys.exit(main())
