import pytest

from erp_gateway.files.jobs.responses import prefers_async


@pytest.mark.parametrize(
    ("values", "prefers"),
    [
        ([], False),
        (["respond-async"], True),
        (["Respond-Async; foo=1, wait=10"], True),
        (["return=minimal", "wait=5, respond-async"], True),
        (["respond-asynchronously"], False),
        (["return=respond-async"], False),
    ],
)
def test_only_respond_async_requests_a_job(values: list[str], prefers: bool) -> None:
    assert prefers_async(values) is prefers
