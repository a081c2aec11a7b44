import pytest

from erpclient import Credentials, ErpSettings
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.readings import UnexpectedAnswer
from erpdoctor.conformance.session import ProbeSession


def make_line() -> ProbeSession:
    return ProbeSession(ErpSettings("http://127.0.0.1:1/b1s/v1"), Credentials("C", "u", "p"))


def test_before_it_is_open_there_is_no_answer_to_a_login() -> None:
    line = make_line()
    assert line.calls == 0
    with pytest.raises(RuntimeError, match="not open"):
        _ = line.login


def test_without_a_trial_document_it_is_nowhere() -> None:
    with pytest.raises(UnexpectedAnswer, match="no-trial-document"):
        _ = Fixture(make_line()).trial_path
