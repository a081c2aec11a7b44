"""Where the certificate is, and what says that it can't be used."""

from pathlib import Path

from attrs import frozen

from servicekit.config import Secret


class CertificateError(Exception):
    """A certificate that can't be used.

    Attributes:
        setting: name of the setting at fault.
        text: what is wrong and what is allowed; never with anything of the key.
        spanish: the same in Spanish.
    """

    def __init__(self, setting: str, text: str, spanish: str) -> None:
        super().__init__(f"{setting}: {text}")
        self.setting = setting
        self.text = text
        self.spanish = spanish


@frozen(kw_only=True)
class CertificateFiles:
    """Where certificate and key are: in a bundle with its passphrase, or in two PEM files."""

    bundle: Path | None = None
    passphrase: Secret | None = None
    key: Path | None = None
    certificate: Path | None = None
