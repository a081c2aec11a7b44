"""Settings that enable the gateway's optional modules."""

import os
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from erp_gateway.reports.html.printing.browser import BrowserEngine, find_browser
from erp_gateway.reports.html.printing.engine import PDF_NAME
from stack.addresses import Addresses
from stack.company import COMPANY, ERP_PASSWORD, ERP_USER
from stack.processes import LOOPBACK, Child, clean_environment

HANA_USER = "SYSTEM"
HANA_PASSWORD = "erpsim"


def module_settings(addresses: Addresses) -> dict[str, str]:
    """Return the gateway's settings for the report gateway, the database and PDFs."""
    return {
        "APIGATEWAY_URL": f"http://{LOOPBACK}:{addresses.report_gateway}",
        "APIGATEWAY_COMPANY_DB": COMPANY,
        "APIGATEWAY_USER": ERP_USER,
        "APIGATEWAY_PASSWORD": ERP_PASSWORD,
        "APIGATEWAY_INSTANCE": f"{LOOPBACK}:{addresses.hana}",
        "ERPDB_ENGINE": "hana",
        "ERPDB_SERVER": LOOPBACK,
        "ERPDB_PORT": str(addresses.hana),
        "ERPDB_USER": HANA_USER,
        "ERPDB_PASSWORD": HANA_PASSWORD,
        "ERPDB_SCHEMA": COMPANY,
        "ERPDB_ENCRYPT": "false",
        **printing_settings(),
    }


def printing_settings() -> dict[str, str]:
    """Return the settings of printing on this machine: with a browser if there is one, in its sandbox if
    possible.
    """
    browser = find_browser(None, os.environ)
    if browser is None:
        return {"HTML_PDF_ENGINE": "weasyprint"}
    return {"HTML_PDF_ENGINE": "browser", "HTML_PDF_SANDBOX": str(has_sandbox(browser)).lower()}


@cache
def has_sandbox(browser: Path) -> bool:
    """Return whether a browser prints a page in its sandbox, tested like in the gateway's `doctor`.

    It does not as root, nor if user namespaces are forbidden, as in many containers and by AppArmor.
    """
    with TemporaryDirectory(prefix="erp-sandbox-") as folder:
        place = Path(folder)
        engine = BrowserEngine(browser, sandbox=True, environ=os.environ, is_root=lambda: False)
        command = engine.prepare("<p>x</p>", place)
        with (
            Child("browser", command, log=place / "log", environ=clean_environment(HOME=folder)) as printing,
            suppress(subprocess.TimeoutExpired),
        ):
            printing.wait(60)
        return (place / PDF_NAME).is_file()
