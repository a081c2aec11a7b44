# ruff: noqa: N818 - refusals are plain nouns
"""Errors of HTML reports for clients, and of templates for their authors."""

from attrs import frozen

from servicekit.errors import ServiceError


class HtmlReportNotFound(ServiceError):
    """There is no HTML report with this code."""

    status = 404
    code = "html_report_not_found"
    detail = "No existe un informe con ese código."


class ReportTooLong(ServiceError):
    """The values request a longer HTML report than allowed."""

    status = 400
    code = "report_too_long"
    detail = "El informe resulta demasiado extenso. Elija valores que abarquen menos datos."


class ReportDataFailed(ServiceError):
    """The data function of an HTML report failed. The log names report, query and parameters."""

    status = 500
    code = "report_data_failed"
    detail = "El informe no pudo reunir sus datos por un error propio. Avise al administrador."


class ReportTemplateFailed(ServiceError):
    """The template of an HTML report failed. The log names report, file and line."""

    status = 500
    code = "report_template_failed"
    detail = "La plantilla del informe tiene un error. Avise al administrador."


class PdfFailed(ServiceError):
    """The printing process ended without a PDF. The log has its last output.

    Args:
        reason: last output of the process, for the log only.
    """

    status = 502
    code = "pdf_failed"
    detail = "No se pudo generar el PDF. Inténtelo con menos datos o avise al administrador."

    def __init__(self, reason: str = "") -> None:
        super().__init__()
        self.reason = reason


class BrowserUnavailable(ServiceError):
    """There is no headless browser, or it can't start. The log says which.

    Args:
        reason: the cause, for the log only.
    """

    status = 503
    code = "browser_unavailable"
    detail = "No hay un navegador disponible en el servidor para generar el PDF. Avise al administrador."
    retry_after_s = 3600

    def __init__(self, reason: str = "") -> None:
        super().__init__()
        self.reason = reason


class PdfNotConfigured(ServiceError):
    """`HTML_PDF_ENGINE` is `none`: HTML reports can be viewed but not printed."""

    status = 503
    code = "pdf_not_configured"
    detail = "En este servidor no se generan PDF de los informes HTML."
    retry_after_s = 3600


class PdfNotStarted(ServiceError):
    """The machine could not start a process or write a temporary file for printing."""

    status = 503
    code = "pdf_not_started"
    detail = "El servidor no pudo comenzar a generar el PDF. Inténtelo de nuevo en unos momentos."


class PdfQueueFull(ServiceError):
    """Too many HTML reports are waiting to be printed: 32 in total, or 16 of this user."""

    status = 503
    code = "pdf_queue_full"
    detail = "Hay demasiados PDF en espera. Inténtelo de nuevo en unos momentos."
    retry_after_s = 10


class PdfQueueTimeout(ServiceError):
    """The report waited longer than `HTML_PDF_TIMEOUT` for its turn to be printed."""

    status = 503
    code = "pdf_queue_timeout"
    detail = "El PDF esperó demasiado su turno. Inténtelo de nuevo en unos momentos."
    retry_after_s = 10


class PdfTimeout(ServiceError):
    """Printing an HTML report took longer than `HTML_PDF_TIMEOUT`."""

    status = 504
    code = "pdf_timeout"
    detail = "El PDF tardó demasiado en generarse. Elija valores que abarquen menos datos."


class ReportTimeout(ServiceError):
    """Data and template of an HTML report took longer than `HTML_PDF_TIMEOUT`."""

    status = 504
    code = "report_timeout"
    detail = "El informe tardó demasiado en prepararse. Elija valores que abarquen menos datos."


class TemplateError(Exception):
    """A template is invalid; the message names the file and the reason."""

    def __init__(self, reason: str, file: object = None, line: int | None = None) -> None:
        is_located = line is not None
        super().__init__(f"template {file}, line {line}: {reason}" if is_located else reason)


class DocumentTooLongError(Exception):
    """The document is longer than `template.MAX_CHARS`."""


class RenderingAbandonedError(Exception):
    """The client no longer waits for the document."""


@frozen
class TemplateFailedError(Exception):
    """A template failed while rendering.

    Attributes:
        template: its file, below the report's folder.
        line: its line; None if unknown.
        cause: the raised exception.
    """

    template: str
    line: int | None
    cause: Exception
