"""The licences of shipped packages are known and grouped."""

from tools.docs.licences import NOT_INSTALLED, licence_of, rows, shipped


def test_every_shipped_package_declares_a_licence() -> None:
    assert [package for package in shipped() if not licence_of(package)] == []
    assert set(NOT_INSTALLED) <= shipped()


def test_packages_are_grouped_by_licence_with_the_largest_group_first() -> None:
    assert list(rows({"b": "MIT", "a": "MIT", "c": "BSD", "d": "AGPL"})) == [
        ("MIT", "`a`, `b`"),
        ("AGPL", "`d`"),
        ("BSD", "`c`"),
    ]
