# ruff: noqa: RUF009 - setting() only declares fields, as attrs.field does
"""Settings of the HTTP server: address, certificate and web application."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from attrs import frozen

from servicekit.config import Parser, Secret, integer, path, setting, text, timezone
from servicekit.config.problems import Problem
from servicekit.service_settings import Listening
from supplier_returns.certificates.files import CertificateError, CertificateFiles
from supplier_returns.settings.origins import Origin, parse_origin

DEFAULT_WEB_DIST: Final = Path("apps/web/dist/web/browser")
"""Default folder of the web application, used if it exists."""

DEFAULT_CSP: Final = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "frame-src 'self' blob:; object-src 'none'; base-uri 'self'; frame-ancestors 'none'"
)
"""Content-Security-Policy of the web application. Joined PDFs open as blobs."""


def web_origin() -> Parser[Origin]:
    """Return a parser for the origin of a web page: scheme, host and, if unusual, port."""

    def parse(value: str) -> Origin:
        # Browsers send origins without a slash, but people often copy them with one.
        origin = parse_origin(value.rstrip("/"))
        if origin is None:
            raise ValueError(value)
        return origin

    return Parser(
        parse,
        "an origin like https://devoluciones.example.cl or http://localhost:4200",
        "un origen como https://devoluciones.example.cl o http://localhost:4200",
    )


@frozen(kw_only=True)
class Web(Listening):
    """Server."""

    web_origin: Origin | None = setting(
        "WEB_ORIGIN",
        help="Origin of a web application on another host that may call this API with its cookie.",
        parse=web_origin(),
        default=None,
    )
    max_body_bytes: int = setting(
        "MAX_BODY_BYTES",
        help="Largest request body in bytes. Pasted text may have 10 MiB, most endpoints accept less.",
        parse=integer(1024, 64 * 1024 * 1024),
        default=1024 * 1024,
    )
    timezone: ZoneInfo = setting(
        "TIMEZONE",
        help="Time zone of filters that have only a date, such as desde of the list of plannings.",
        parse=timezone(),
        default=ZoneInfo("America/Santiago"),
    )


@frozen(kw_only=True)
class Https:
    """HTTPS.

    Configure either a certificate bundle, or a key and a certificate in PEM form.
    """

    pfx_path: Path | None = setting(
        "HTTPS_PFX_PATH",
        help="Certificate bundle (PFX) with its key. Turns HTTPS on.",
        parse=path(),
        default=None,
    )
    pfx_passphrase: Secret | None = setting(
        "HTTPS_PFX_PASSPHRASE", help="Passphrase of the bundle.", secret=True, default=None
    )
    key_path: Path | None = setting(
        "HTTPS_KEY_PATH",
        help="Private key in PEM form, instead of a bundle. Turns HTTPS on.",
        parse=path(),
        default=None,
    )
    cert_path: Path | None = setting(
        "HTTPS_CERT_PATH",
        help="Certificate in PEM form for that key, with its intermediate certificates.",
        parse=path(),
        default=None,
    )
    redirect_port: int | None = setting(
        "HTTP_REDIRECT_PORT",
        help="With HTTPS: port, usually 80, that redirects plain HTTP with 301.",
        parse=integer(1, 65535),
        default=None,
    )

    @property
    def enabled(self) -> bool:
        """True if a certificate is configured."""
        return self.pfx_path is not None or self.key_path is not None or self.cert_path is not None

    @property
    def files(self) -> CertificateFiles | None:
        """Complete certificate files, if they are configured."""
        if self.pfx_path is not None:
            return CertificateFiles(bundle=self.pfx_path, passphrase=self.pfx_passphrase)
        if self.key_path is not None and self.cert_path is not None:
            return CertificateFiles(key=self.key_path, certificate=self.cert_path)
        return None

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions and unusable files, so that they are found before the first request."""
        pem = {"HTTPS_KEY_PATH": self.key_path, "HTTPS_CERT_PATH": self.cert_path}
        if self.redirect_port is not None and not self.enabled:
            yield Problem(
                "HTTP_REDIRECT_PORT",
                f"{self.redirect_port} without HTTPS; allowed: unset",
                f"{self.redirect_port} sin HTTPS; se admite: vacío",
            )
        if self.pfx_path is not None and any(pem.values()):
            yield Problem(
                "HTTPS_PFX_PATH",
                "is set beside a PEM key or certificate; allowed: one of the two",
                "está junto a una clave o un certificado PEM; se admite: uno de los dos",
            )
            return
        if self.pfx_path is None and self.pfx_passphrase is not None:
            yield Problem(
                "HTTPS_PFX_PASSPHRASE",
                "is set without HTTPS_PFX_PATH; allowed: unset",
                "está sin HTTPS_PFX_PATH; se admite: vacío",
            )
        if any(pem.values()) and not all(pem.values()):
            missing = next(name for name, value in pem.items() if value is None)
            yield Problem(
                missing,
                "required with the other half of the PEM pair",
                "es obligatorio junto a la otra mitad del par PEM",
            )
        if self.files is not None:
            from supplier_returns.certificates.loading import check_certificate  # noqa: PLC0415 - cryptography

            try:
                check_certificate(self.files, now=datetime.now(UTC))
            except CertificateError as error:
                yield Problem(error.setting, error.text, error.spanish)


@frozen(kw_only=True)
class WebApplication:
    """Web application.

    The service can serve the compiled web application next to the API.
    """

    dist_dir: Path | None = setting(
        "WEB_DIST_DIR",
        help=f"Folder of the compiled web application (default: {DEFAULT_WEB_DIST} if it exists).",
        parse=path(),
        default=None,
    )
    csp: str = setting(
        "WEB_CSP",
        help="Content-Security-Policy of its pages.",
        parse=text(max_length=4000),
        default=DEFAULT_CSP,
    )

    @property
    def folder(self) -> Path | None:
        """Effective folder of the web application, if there is one."""
        if self.dist_dir is not None:
            return self.dist_dir
        return DEFAULT_WEB_DIST if (DEFAULT_WEB_DIST / "index.html").is_file() else None

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions between settings."""
        if self.dist_dir is not None and not (self.dist_dir / "index.html").is_file():
            yield Problem(
                "WEB_DIST_DIR",
                f"there is no index.html in {str(self.dist_dir)!r}; allowed: a folder with one",
                f"no hay ningún index.html en {str(self.dist_dir)!r}; se admite: una carpeta que lo tenga",
            )
        if not self.csp.isascii():
            yield Problem(
                "WEB_CSP",
                f"{self.csp!r} can't be a header; allowed: ASCII characters",
                f"{self.csp!r} no puede ser un encabezado; se admite: caracteres ASCII",
            )
