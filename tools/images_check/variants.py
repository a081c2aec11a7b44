"""Step about the variants of the gateway's image: size, and messages without a printer."""

from tools.images_check.runbook import OLD, OURS, Runbook, StepFailed, demand

REQUIRED = ("ERP_SL_URL=http://erp:50000/b1s/v2", "ERP_SL_COMPANY_DB=x", "ERP_SL_USER=x", "ERP_SL_PASSWORD=x")

COMPILED = "import asyncio.base_events as m, os; raise SystemExit(not os.path.exists(m.__cached__))"
"""Whether the image contains bytecode of Python's own modules, or compiles them at every start."""


def sizes(book: Runbook) -> None:
    """Print the images' sizes; images without a browser or a printer report that correctly."""
    for service in (*OURS, "erpsim"):
        _tell(book, f"{service}:{OLD}", service)
    for service in OURS:
        book.run("docker", "run", "--rm", "--entrypoint", "python", f"{service}:{OLD}", "-c", COMPILED)
    image = ""
    for engine in ("weasyprint", "none"):
        image = f"erp-gateway:{OLD}-{engine}"
        argument = f"PDF_ENGINE={engine}"
        book.compose("build", "erp-gateway", PDF_ENGINE=engine)
        _tell(book, image, f"erp-gateway, {argument}")
        demand(holds=_accepts(book, image, engine), what=f"{image} does not accept {engine}")
    demand(holds=not _accepts(book, image, "weasyprint"), what="WeasyPrint is accepted where it is not")


def _tell(book: Runbook, image: str, name: str) -> None:
    print(f"     {name}: {book.run('docker', 'images', '--format', '{{.Size}}', image)}", flush=True)


def _accepts(book: Runbook, image: str, engine: str) -> bool:
    settings = [part for each in (*REQUIRED, f"HTML_PDF_ENGINE={engine}") for part in ("--env", each)]
    try:
        said = book.run("docker", "run", "--rm", *settings, image, "check-config")
    except StepFailed:
        return False
    return f"HTML_PDF_ENGINE={engine}" in said
