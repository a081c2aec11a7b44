import pytest

from erp_gateway.web.requests import says_no_cache


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([], False),
        (["no-cache"], True),
        (["max-age=0, No-Cache"], True),
        (["max-age=5", "no-cache"], True),
        (["no-store, x-no-cache"], False),
    ],
)
def test_only_no_cache_requests_a_new_response(values: list[str], says: bool) -> None:
    assert says_no_cache(values) is says
