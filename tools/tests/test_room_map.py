"""The pictures of docs/architecture.md are those of the code."""

from tools.room_map import DRAWN, PAGE, arrows, drawn_into, reach


def test_the_page_shows_the_rooms_as_they_are() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == drawn_into(page), "draw it again: python -m tools.room_map --write"


def test_no_arrow_follows_from_others() -> None:
    for package in DRAWN:
        drawn = arrows(package)
        taken: dict[str, set[str]] = {}
        for room, other in drawn:
            taken.setdefault(room, set()).add(other)
            taken.setdefault(other, set())
        for room, other in drawn:
            assert not any(other in reach(next_, taken) for next_ in taken[room] - {other}), (room, other)
