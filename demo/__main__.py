"""Start the local stack, take the tour, and keep serving (`make demo`) or say how it went (`make tour`).

Run as: python -m demo [--port N] [--tour]
"""

import argparse
import shutil
import signal
import sys
import tempfile
from functools import partial
from pathlib import Path

from tools.stack.addresses import any_addresses
from tools.stack.company import ERP_PASSWORD, ERP_USER, WAREHOUSE_USER
from tools.stack.processes import LOOPBACK, ChildFailedError, leave_on_signals, port_is_free
from tools.stack.stack import LocalStack, local_stack, service_layer

from demo import modules
from demo.client import Client
from demo.company import TRACE_FIELD, add_trace_field, lose_next_answer
from demo.pdf import FOLDER
from demo.steps import STEPS
from demo.steps.returns import SHEET
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
    options = parser.parse_args()
    if options.port and not port_is_free(options.port):
        print(f"Port {options.port} is taken: another program listens there. Choose one: make demo PORT=8081")
        return 1
    leave_on_signals()
    try:
        with tempfile.TemporaryDirectory(prefix="erp-demo-") as folder:
            return demonstrate(Path(folder), port=options.port, keep_serving=not options.tour)
    except KeyboardInterrupt:
        print("\nStopped.")
        return 0
    except ChildFailedError as error:
        print(f"The demo could not start: {error}")
        return 1


def demonstrate(folder: Path, *, port: int, keep_serving: bool) -> int:
    """Run the stack and the tour; return the exit code of the tour."""
    print("Starting the simulated ERP, its database, the gateway, supplier-returns and nginx …", flush=True)
    addresses = any_addresses(origin=port or None)
    with local_stack(
        folder,
        addresses=addresses,
        penalty_s=PENALTY_S,
        gateway_settings={**GATEWAY_SETTINGS, **modules.database_settings(folder)},
        returns_settings=RETURNS_SETTINGS,
    ) as stack:
        introduce(stack)
        add_trace_field(addresses.erpsim)
        lose_answer = partial(lose_next_answer, addresses.control)
        clients = Client(addresses.origin), Client(addresses.returns_origin)
        failed = run_steps(STEPS, Tour(*clients, FOLDER, lose_answer, modules.is_database_live()))
        print(f"Documents of the tour: {FOLDER} (as pictures: make demo-png)")
        if failed:
            keep_logs(stack, FOLDER / "logs")
        if keep_serving:
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
    print(f"\nThe API explained   {origin}/api/docs")
    print(f"Returns explained   {origin}/devoluciones/api/docs (after signing in)")
    print(f"Metrics             http://{LOOPBACK}:{at.metrics}/metrics")
    print(f"A sheet to paste    {FOLDER / SHEET} (warehouse 01)")
    print(f"\nThe console         {origin}/consola/")
    print("Web users, for records, reports and administration:")
    for web_user, role in ((ADMINISTRATOR, "administrator"), (CLERK, "sales clerk")):
        print(f"  {web_user:<10} password {PASSWORDS[web_user]:<10} {role}")
    print("ERP users, for the returns:")
    for erp_user, role in ((ERP_USER, "superuser"), (WAREHOUSE_USER, "warehouse")):
        print(f"  {erp_user:<10} password {ERP_PASSWORD:<10} {role}")
    body = f'{{"username": "{ADMINISTRATOR}", "password": "{PASSWORDS[ADMINISTRATOR]}"}}'
    print("By a program:")
    print(f"  curl -s {origin}/api/auth/login -H 'Content-Type: application/json' -d '{body}'")


if __name__ == "__main__":
    sys.exit(main())
