"""The public address of a service: its arguments; test_network has the checks of its certificate."""

from pathlib import Path

import pytest

from erpdoctor.checks import Group
from erpdoctor.origin import Origin, origin_checks
from servicekit.clock import SystemClock

GROUP = Group("origin", "docs/doctor.md#origin")


@pytest.mark.parametrize(
    "url",
    [
        *("", "erp.example.com", "ftp://erp.example.com", "https://", "https://ana:x@erp.example.com"),
        *("https://erp.example.com/?a=b", "https://erp.example.com/#a", "https://erp.example.com/a b"),
        *("https://erp.example.com:x", "https://erp.example.com:99999", "https://ñandú.example.com"),
    ],
)
def test_other_texts_than_addresses_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="--origin"):
        Origin.of(url, None)


def test_a_file_without_certificates_is_refused_by_the_name_of_its_argument(tmp_path: Path) -> None:
    empty = tmp_path / "ca.pem"
    empty.touch()
    for file in (empty, tmp_path / "none"):
        with pytest.raises(ValueError, match="--origin-ca-file"):
            Origin.of("https://erp.example.com", file)
    assert Origin.of(None, empty) is None


def test_without_an_address_one_check_says_so() -> None:
    (only,) = origin_checks(None, group=GROUP, production=True, clock=SystemClock())
    assert only.name == "origin.address"
