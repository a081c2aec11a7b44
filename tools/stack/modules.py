"""What the gateway's optional modules need: the settings that switch them on."""

import os
from collections.abc import Mapping

from erp_gateway.html_reports.printing.browser_places import find_browser
from tools.stack.addresses import Addresses
from tools.stack.company import COMPANY, ERP_PASSWORD, ERP_USER
from tools.stack.processes import LOOPBACK

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
        "HTML_PDF_ENGINE": pdf_engine(os.environ),
        # a browser refuses its sandbox to root, as whom everything runs in a bare container
        "HTML_PDF_SANDBOX": "false" if os.geteuid() == 0 else "true",
    }


def pdf_engine(environ: Mapping[str, str]) -> str:
    """Return what prints PDFs on this machine: `browser` where one is found, else `weasyprint`."""
    return "weasyprint" if find_browser(None, environ) is None else "browser"
