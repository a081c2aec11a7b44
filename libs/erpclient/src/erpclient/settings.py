"""Settings of a client."""

import math
from pathlib import Path
from urllib.parse import urlsplit

from attrs import Attribute, field, frozen, validators

from erpclient.odata import Dialect


@frozen
class Credentials:
    """ERP user of a session. The password is left out of ``repr``.

    Attributes:
        company_db: database name of the company.
        user: ERP user.
        password: the user's password.
        language: code of the language of the ERP's messages (3 English, 23 Spanish, 25 Latin American
            Spanish); ``None`` leaves it to the ERP.
    """

    company_db: str
    user: str
    password: str = field(repr=False)
    language: int | None = None


def _without_slash(url: str) -> str:
    return url.rstrip("/")


def _check_url(_settings: object, _attribute: "Attribute[str]", url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("url: must be http://host… or https://host…")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("url: must hold neither a user nor a query")
    if not url.endswith(tuple(f"/{dialect.value}" for dialect in Dialect)):
        raise ValueError("url: must end with its version segment, /v1 or /v2")
    if not url.isascii() or any(character <= " " for character in url):
        raise ValueError("url: must be plain ASCII without blanks")


@frozen
class ErpSettings:
    """Address of the Service Layer, and limits.

    Attributes:
        url: service root, ending with its version segment: ``https://host:50000/b1s/v1`` (or ``/v2``).
        max_concurrency: most requests in flight at a time. The Service Layer serves the requests of one
            session one after another, and each further one costs it seconds (seen on Service Layer 1000321).
        timeout_s: longest time of one request from connecting to the last byte of its answer.
        read_timeout_s: longest time of one request that changes nothing, if that is less than ``timeout_s``.
            Below ``queue_timeout_s``, one slow read cannot make every waiting request time out.
        connect_timeout_s: longest time for a connection, at most half of the request's whole time.
        login_timeout_s: longest time of one login. A good one takes 3 to 8 s, a refused one about 10 s.
        probe_timeout_s: longest time of the probe of an unresponsive ERP.
        queue_limit: most requests waiting at a time.
        queue_limit_per_user: most of them for one user.
        queue_timeout_s: longest wait for a turn.
        max_reply_bytes: largest answer that is read, counted unpacked.
        slow_call_s: a call that takes longer is logged as a warning.
        ca_file: certificate authorities in PEM form, in addition to the system's.
        verify_tls: ``False`` switches off every check of the server's certificate.

    Raises:
        ValueError: a value that cannot be right; the message begins with the attribute's name.
    """

    url: str = field(converter=_without_slash, validator=_check_url)
    max_concurrency: int = field(default=1, validator=validators.ge(1))
    timeout_s: float = field(default=60.0, validator=validators.gt(0))
    read_timeout_s: float = field(default=math.inf, validator=validators.gt(0))
    connect_timeout_s: float = field(default=10.0, validator=validators.gt(0))
    login_timeout_s: float = field(default=30.0, validator=validators.gt(0))
    probe_timeout_s: float = field(default=5.0, validator=validators.gt(0))
    queue_limit: int = field(default=512, validator=validators.ge(0))
    queue_limit_per_user: int = field(default=256, validator=validators.ge(0))
    queue_timeout_s: float = field(default=30.0, validator=validators.gt(0))
    max_reply_bytes: int = field(default=32 * 1024 * 1024, validator=validators.ge(1))
    slow_call_s: float = field(default=2.0, validator=validators.gt(0))
    ca_file: Path | None = None
    verify_tls: bool = True

    @property
    def dialect(self) -> Dialect:
        """The OData version that the URL's last segment names."""
        return Dialect(self.url.rpartition("/")[2])

    @property
    def root_path(self) -> str:
        """The service root without its origin: ``/b1s/v1``."""
        return urlsplit(self.url).path

    @property
    def origin(self) -> str:
        """Scheme, host and port, without a slash at the end."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"
