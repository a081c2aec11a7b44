"""Settings that cannot be right are refused when they are made."""

from typing import Any

import pytest

from erpclient import Credentials, Dialect, ErpSettings


@pytest.mark.parametrize(
    ("url", "dialect", "origin"),
    [
        ("https://10.0.0.1:50000/b1s/v1", Dialect.V1, "https://10.0.0.1:50000"),
        ("http://sap.example/b1s/v2/", Dialect.V2, "http://sap.example"),
        ("https://[fe80::1]:50000/b1s/v2", Dialect.V2, "https://[fe80::1]:50000"),
    ],
)
def test_the_url_names_origin_and_dialect(url: str, dialect: Dialect, origin: str) -> None:
    settings = ErpSettings(url)
    assert (settings.dialect, settings.origin) == (dialect, origin)
    assert not settings.url.endswith("/")


@pytest.mark.parametrize(
    "url",
    ["", "10.0.0.1/b1s/v1", "ftp://h/b1s/v1", "https:///b1s/v1", "https://h/b1s", "https://h/b1s/v3",
     "https://h/b1s/xv1", "https://u:p@h/b1s/v1", "https://h/b1s/v1?x=1", "https://h/x?/v1", "https://h/#/v1",
     "https://h/á/v1", "https://h/ b/v1"],
)  # fmt: skip
def test_an_address_that_cannot_be_right_is_refused_by_name(url: str) -> None:
    with pytest.raises(ValueError, match=r"^url: "):
        ErpSettings(url)


@pytest.mark.parametrize(
    "wrong",
    [{"max_concurrency": 0}, {"timeout_s": 0}, {"connect_timeout_s": -1}, {"login_timeout_s": 0},
     {"queue_limit": -1}, {"queue_limit_per_user": -1}, {"queue_timeout_s": 0}, {"max_reply_bytes": 0},
     {"slow_call_s": 0}],
)  # fmt: skip
def test_numbers_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ErpSettings("https://h/b1s/v1", **wrong)


def test_a_password_does_not_show() -> None:
    assert "planted" not in repr(Credentials("SBO_DEMO", "manager", "planted"))
