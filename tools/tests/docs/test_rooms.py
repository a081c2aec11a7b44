"""The diagrams of rooms leave out what follows."""

from tools.docs.rooms import DRAWN, arrows, reach


def test_no_drawn_arrow_follows_from_the_rest() -> None:
    for package in DRAWN:
        drawn = arrows(package)
        taken: dict[str, set[str]] = {}
        for room, other in drawn:
            taken.setdefault(room, set()).add(other)
            taken.setdefault(other, set())
        for room, other in drawn:
            assert not any(other in reach(next_, taken) for next_ in taken[room] - {other}), (room, other)
