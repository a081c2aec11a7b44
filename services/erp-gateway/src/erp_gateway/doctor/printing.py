"""Checks of printing HTML reports: engine, sandbox, one page."""

import os
from concurrent.futures import Executor
from pathlib import Path
from typing import Final

from erp_gateway.reports.html.errors import BrowserUnavailable, PdfFailed
from erp_gateway.reports.html.opening import can_print, create_printer
from erp_gateway.reports.html.printing.browser import find_browser
from erp_gateway.reports.html.printing.guard import guarded
from erp_gateway.settings.html_pdf import HtmlPdf
from erpdoctor.checks import Checks, Finding, Group, declares_check, fail, ok, skipped, warn
from servicekit.errors import ServiceError

PRINTING: Final = Group("printing", "docs/doctor.md#printing")
OFF: Final = skipped("printing_off", "HTML_PDF_ENGINE es none.", english="`HTML_PDF_ENGINE` is `none`.")
NO_ENGINE: Final = fail(
    "no_pdf_engine",
    "No hay con qué imprimir: no se encontró ningún navegador en los lugares usuales.",
    english="`BROWSER_BIN` is not set, and the usual places have no browser.",
    remedy="Instale Chromium, o nombre un navegador en BROWSER_BIN; sin él, use HTML_PDF_ENGINE=weasyprint.",
    english_remedy="Install Chromium, or name a browser in BROWSER_BIN; without one use "
    "HTML_PDF_ENGINE=weasyprint.",
)
NO_SUCH_BROWSER: Final = fail(
    "browser_not_found",
    "El programa que nombra BROWSER_BIN no está, o este usuario no puede ejecutarlo.",
    english="The file of `BROWSER_BIN` does not exist or can't be executed. The terminal shows the "
    "path, and a browser in the usual places if there is one.",
    remedy="Corrija BROWSER_BIN, o quítelo: entonces se usa el navegador que esté en los lugares usuales.",
    english_remedy="Correct BROWSER_BIN, or remove it: then a browser in one of the usual places is used.",
)
NO_WEASYPRINT: Final = fail(
    "weasyprint_missing",
    "HTML_PDF_ENGINE es weasyprint, que no está instalado aquí.",
    english="WeasyPrint is configured, but not installed.",
    remedy="Instale erp-gateway con el extra weasyprint, o use HTML_PDF_ENGINE=browser con un navegador.",
    english_remedy="Install erp-gateway with the extra weasyprint, or use HTML_PDF_ENGINE=browser "
    "with a browser.",
)
AS_ROOT: Final = fail(
    "browser_as_root",
    "El servicio corre como root, y así el navegador no arranca con su aislamiento.",
    english="It can't start as root.",
    remedy="Corra el servicio como otro usuario; si no es posible, HTML_PDF_SANDBOX=false.",
    english_remedy="Run the service as another user; if you can't, HTML_PDF_SANDBOX=false.",
)
NO_NAMESPACES: Final = fail(
    "no_user_namespaces",
    "Este sistema no permite espacios de nombres de usuario, que el aislamiento del navegador necesita.",
    english="The kernel forbids user namespaces.",
    remedy="Permítalos en el sistema o en el contenedor (seccomp), o use HTML_PDF_SANDBOX=false.",
    english_remedy="Allow them in the system or in the container (seccomp), or use HTML_PDF_SANDBOX=false.",
)
NO_SANDBOX: Final = warn(
    "sandbox_off",
    "El navegador imprime sin su propio aislamiento.",
    english="`HTML_PDF_SANDBOX` is false.",
    remedy="Quite HTML_PDF_SANDBOX=false si el sistema permite el aislamiento.",
    english_remedy="Remove HTML_PDF_SANDBOX=false if the system allows the sandbox.",
)
NOT_PRINTED: Final = fail(
    "page_not_printed",
    "La página de prueba no se pudo imprimir.",
    english="It was not printed. The terminal shows the browser's last words.",
    remedy="Corrija lo que dijo el navegador; si es su aislamiento: espacios de nombres, chromium-sandbox, o "
    "HTML_PDF_SANDBOX=false.",
    english_remedy="Correct what the browser said; if it is its sandbox: user namespaces, "
    "chromium-sandbox, or HTML_PDF_SANDBOX=false.",
)

_PAGE_S: Final = 30.0
_SHOWN: Final = 300
"""Most characters of the browser's output that the terminal shows."""
_TEST_PAGE: Final = "<!doctype html><title>doctor</title><p>Página de prueba ñandú</p>"
# Kernel switches that forbid user namespaces with `0`. The second one exists only on Debian.
_SWITCHES: Final = (
    Path("/proc/sys/user/max_user_namespaces"),
    Path("/proc/sys/kernel/unprivileged_userns_clone"),
)


_NOTHING: Final = (NO_ENGINE, NO_SUCH_BROWSER, NO_WEASYPRINT)


def missing_engine(settings: HtmlPdf, usual: Path | None) -> Finding:
    """Return why no engine was found.

    Args:
        settings: of printing.
        usual: a browser in one of the usual places, if any.
    """
    if settings.engine == "weasyprint":
        return NO_WEASYPRINT.found()
    if settings.browser_bin is None:
        return NO_ENGINE.found()
    there = "ninguno en los lugares usuales" if usual is None else f"en los lugares usuales está {usual}"
    return NO_SUCH_BROWSER.found(f"BROWSER_BIN={settings.browser_bin}; {there}")


class PrintingChecks(Checks):
    """Check the engine that prints reports.

    Args:
        settings: of printing.
        executor: threads for the work on files.
    """

    group = PRINTING

    def __init__(self, settings: HtmlPdf, executor: Executor) -> None:
        self._settings = settings
        self._executor = executor

    @declares_check(
        "engine", "Con qué se imprime", OFF, *_NOTHING, english="There is a browser, or WeasyPrint."
    )
    async def _engine(self) -> Finding:
        if self._settings.engine == "none":
            return OFF.found()
        return ok(engine=self._settings.engine) if can_print(self._settings) else self._missing_engine()

    def _missing_engine(self) -> Finding:
        return missing_engine(self._settings, find_browser(None, os.environ))

    @declares_check(
        "sandbox",
        "Aislamiento del navegador",
        AS_ROOT,
        NO_NAMESPACES,
        NO_SANDBOX,
        needs=("engine",),
        english="The browser's own sandbox can start.",
    )
    async def _sandbox(self) -> Finding:
        if self._settings.engine != "browser":
            return ok("no lo necesita")
        if not self._settings.sandbox:
            return NO_SANDBOX.found()
        if os.geteuid() == 0:
            return AS_ROOT.found()
        return NO_NAMESPACES.found() if any(_forbids(switch) for switch in _SWITCHES) else ok()

    @declares_check(
        "page",
        "Una página impresa",
        *_NOTHING,
        NOT_PRINTED,
        needs=("sandbox",),
        limit_s=_PAGE_S,
        english="A page is printed.",
    )
    async def _page(self) -> Finding:
        printer = create_printer(self._settings, self._executor)
        if printer is None:
            return OFF.found()
        try:
            pdf = await printer.print(guarded(_TEST_PAGE), user="doctor")
        except BrowserUnavailable:
            return self._missing_engine()
        except PdfFailed as error:
            return NOT_PRINTED.found(" ".join(error.reason.split())[-_SHOWN:])
        except ServiceError:
            return NOT_PRINTED.found()
        return ok(bytes=len(pdf), fonts=pdf.count(b"/FontDescriptor"))


def _forbids(switch: Path) -> bool:
    try:
        return switch.read_text("ascii").strip() == "0"
    except OSError:
        return False
