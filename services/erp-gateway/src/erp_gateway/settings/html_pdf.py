# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Settings of HTML reports as PDF."""

from pathlib import Path

from attrs import frozen

from servicekit.config import boolean, choice, integer, path, seconds, setting


@frozen(kw_only=True)
class HtmlPdf:
    """HTML reports as PDF."""

    engine: str = setting(
        "HTML_PDF_ENGINE",
        help="Engine that prints PDFs: a headless browser, or WeasyPrint on hosts without one. "
        "none turns PDFs off.",
        parse=choice("browser", "weasyprint", "none"),
        default="browser",
    )
    browser_bin: Path | None = setting(
        "BROWSER_BIN",
        help="Path of the headless browser. Without it the usual places are searched.",
        parse=path(),
        default=None,
    )
    sandbox: bool = setting(
        "HTML_PDF_SANDBOX",
        help="Use the browser's own sandbox. It can't run as root and in many containers.",
        parse=boolean(),
        default=True,
    )
    max_concurrency: int = setting(
        "HTML_PDF_MAX_CONCURRENCY",
        help="Documents printed at the same time.",
        parse=integer(1, 16),
        default=1,
    )
    timeout_s: float = setting(
        "HTML_PDF_TIMEOUT",
        help="Seconds for each part of an HTML report: data and template, waiting for its turn, printing.",
        parse=seconds(1, 3600),
        default=60.0,
    )
    reload: bool = setting(
        "HTML_REPORTS_RELOAD",
        help="Read templates again for each report. Refused in production, always on in development.",
        parse=boolean(),
        default=False,
    )
