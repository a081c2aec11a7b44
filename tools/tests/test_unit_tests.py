"""A test that does not use the module it is named after is found, however it is named."""

from pathlib import Path

import pytest
from tools.unit_tests import misnamed, subject_of

FILES = {
    "libs/kit/src/kit/__init__.py": "from kit.client import Client",
    "libs/kit/src/kit/client.py": "Client = 1",
    "libs/kit/src/kit/client_calls.py": "calls = 1",
    "libs/kit/src/kit/command.py": "from kit.sending import send",
    "libs/kit/src/kit/sending.py": "send = 1",
    "libs/kit/src/kit/room/__init__.py": "",
    "libs/kit/src/kit/room/wire.py": "import kit.sending",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        write(tmp_path / path, text)
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def found(tree: Path) -> list[str]:
    return misnamed("libs/kit/tests", "libs/kit/src/kit", tree)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test_client.py", "from kit.client import Client"),
        ("test_client.py", "from kit import Client"),
        ("test_client_pages.py", "import kit.client"),
        ("test_client_calls.py", "from kit import client_calls"),
        ("test_sending.py", "def test_it():\n    from kit.sending import send"),
        ("test_sending.py", "from kit.command import run"),
        ("test_room.py", "from kit.room.wire import read"),
        ("room/test_wire.py", "from kit.room import wire"),
        ("test_nothing_that_exists.py", "import kit.client"),
    ],
)
def test_a_test_that_imports_its_module_is_accepted(tree: Path, name: str, text: str) -> None:
    write(tree / "libs/kit/tests" / name, text)
    assert found(tree) == []


@pytest.mark.parametrize(
    ("name", "text", "module"),
    [
        ("test_client.py", "from kit.client_calls import calls", "kit.client"),
        ("test_client_calls.py", "from kit.client import Client", "kit.client_calls"),
        ("test_client.py", "import kit.room.wire", "kit.client"),
        ("test_client.py", "if TYPE_CHECKING:\n    from kit.client import Client", "kit.client"),
        ("test_room.py", "from kit.command import run", "kit.room"),
        ("room/test_wire.py", "import kit.room", "kit.room.wire"),
        ("test_sending.py", "'''kit.sending'''", "kit.sending"),
    ],
)
def test_a_test_that_does_not_use_its_module_is_reported(
    tree: Path, name: str, text: str, module: str
) -> None:
    write(tree / "libs/kit/tests" / name, text)
    assert found(tree) == [f"libs/kit/tests/{name} does not use {module}"]


def test_doubles_and_fixtures_use_a_module_for_their_test(tree: Path) -> None:
    tests = tree / "libs/kit/tests"
    write(tests / "test_client.py", "from scripted import answer")
    assert len(found(tree)) == 1
    write(tests / "doubles/scripted.py", "from fake_client import Fake")
    write(tests / "doubles/fake_client.py", "from kit.client import Client")
    assert found(tree) == []
    write(tests / "room/test_wire.py", "")
    assert len(found(tree)) == 1
    write(tests / "conftest.py", "from kit.room.wire import read")
    assert found(tree) == []


def test_the_longest_name_is_the_subject(tree: Path) -> None:
    room = tree / "libs/kit/src/kit"
    assert subject_of(Path("test_client_calls_again.py"), room) == room / "client_calls.py"
    assert subject_of(Path("test_client_pages.py"), room) == room / "client.py"
    assert subject_of(Path("test_clients.py"), room) is None
