"""Every error has a Spanish sentence for users, and an English one for the page."""

import pytest
from tools.docs.errors import UndocumentedError, load_all, rows, sentence

from servicekit.errors import ServiceError, error_classes

OURS = ("servicekit", "erp_gateway", "supplier_returns")
FIXED = {"session_required", "session_expired", "upstream_unreachable"}
"""Codes of supplier-returns with a text that the contract fixes, without a full stop."""


def our_errors() -> list[type[ServiceError]]:
    load_all()
    return [each for each in error_classes() if each.__module__.partition(".")[0] in OURS]


@pytest.mark.parametrize("error", our_errors(), ids=lambda error: f"{error.__module__}.{error.__name__}")
def test_users_get_a_spanish_sentence(error: type[ServiceError]) -> None:
    assert error.detail[0].isupper()
    assert error.detail.endswith(".") or (
        error.code in FIXED and error.__module__.startswith("supplier_returns")
    )
    assert not {"the", "is", "not", "request", "error:"} & set(error.detail.lower().split())


def test_an_error_row_is_the_first_paragraph_with_its_links() -> None:
    class FullError(ServiceError):
        """It is full: see
        [Places](docs/places.md#full).

        Args:
            more: nothing.
        """

        status, code, detail = 503, "made_up_full", "Lleno."

    assert sentence(FullError) == "It is full: see [Places](places.md#full)."


def define(module: str, doc: str | None, base: type[ServiceError] = ServiceError) -> type[ServiceError]:
    members = {"status": 503, "code": "made_up", "detail": "Lleno.", "__module__": module, "__doc__": doc}
    return type("MadeUp", (base,), members)


def test_a_variant_of_an_error_has_no_row() -> None:
    error = define("varied_package.errors", "It is full.")
    define("varied_package.more", "The same.", base=error)
    assert list(rows("varied_package")) == [("`made_up`", "503", "It is full.")]


def test_an_error_without_a_sentence_is_named() -> None:
    define("mute_package.errors", None)
    with pytest.raises(UndocumentedError, match=r"mute_package\.errors\.MadeUp needs a sentence"):
        list(rows("mute_package"))


def test_two_unrelated_errors_can_not_share_a_row() -> None:
    define("twin_package.errors", "It is full.")
    define("twin_package.more", "It is empty.")
    with pytest.raises(UndocumentedError, match=r"twin_package\.more\.MadeUp"):
        list(rows("twin_package"))
