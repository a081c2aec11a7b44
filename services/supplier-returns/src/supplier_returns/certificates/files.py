"""Certificate files, and the error of an unusable one."""

from pathlib import Path

from attrs import frozen

from servicekit.config import Secret


class CertificateError(Exception):
    """The certificate can't be used.

    Attributes:
        setting: name of the wrong setting.
        text: problem and allowed values, without any part of the key.
        spanish: the same text in Spanish.
    """

    def __init__(self, setting: str, text: str, spanish: str) -> None:
        super().__init__(f"{setting}: {text}")
        self.setting = setting
        self.text = text
        self.spanish = spanish


@frozen(kw_only=True)
class CertificateFiles:
    """Certificate and key: a bundle with its passphrase, or two PEM files."""

    bundle: Path | None = None
    passphrase: Secret | None = None
    key: Path | None = None
    certificate: Path | None = None
