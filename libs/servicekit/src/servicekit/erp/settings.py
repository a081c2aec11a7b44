"""Rules for values that name something of the ERP."""

import re
from typing import Final

from servicekit.config.parsers import Parser, http_url

_USER_FIELD: Final = re.compile(r"U_[A-Za-z0-9_]{1,48}")
_VERSIONED: Final = re.compile(r".*/v[12]")


def service_layer_url() -> Parser[str]:
    """An http(s) URL that ends with the version segment of the API, `/v1` or `/v2`."""
    any_url = http_url()

    def read(value: str) -> str:
        url = any_url.read(value)
        if not _VERSIONED.fullmatch(url):
            raise ValueError(value)
        return url

    return Parser(read, "an http or https URL that ends with /v1 or /v2, like https://10.0.0.5:50000/b1s/v2")


def user_field() -> Parser[str]:
    """The name of a user-defined field as the Service Layer shows it, with its prefix `U_`."""

    def read(value: str) -> str:
        if not _USER_FIELD.fullmatch(value):
            raise ValueError(value)
        return value

    return Parser(read, "the name of a user-defined field with its prefix, like U_GW_Clave")
