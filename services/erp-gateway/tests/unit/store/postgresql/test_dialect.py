"""Statements for PostgreSQL, and texts that it cannot store unchanged."""

from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.store.migrations import load_migrations
from erp_gateway.store.postgresql.dialect import (
    escape_text,
    translate_script,
    translate_statement,
    unescape_text,
)

AWKWARD = st.text(st.sampled_from("a\x00\ufdd001ñ"), max_size=12)


@given(AWKWARD)
def test_every_text_is_restored_and_none_is_stored_with_a_nul(text: str) -> None:
    assert unescape_text(escape_text(text)) == text
    assert "\x00" not in escape_text(text)


@given(AWKWARD, AWKWARD)
def test_texts_that_differ_are_stored_differently(one: str, other: str) -> None:
    assert (escape_text(one) == escape_text(other)) == (one == other)


def test_a_statement_gets_psycopgs_placeholders() -> None:
    assert (
        translate_statement("SELECT 5 % 2 WHERE a = ? AND b = ?") == "SELECT 5 %% 2 WHERE a = %s AND b = %s"
    )


def test_a_script_is_translated_for_postgresql() -> None:
    text = """CREATE TABLE t (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT CHECK (json_valid(name)),
    mac BLOB
) STRICT, WITHOUT ROWID;
-- only sqlite
SELECT seq FROM sqlite_sequence;
-- end of only sqlite
--postgresql SELECT 1;
"""
    script = """CREATE TABLE t (
    id BIGINT PRIMARY KEY,
    name TEXT COLLATE "C" CHECK ((name::json IS NOT NULL)),
    mac BYTEA
);

SELECT 1;
"""
    assert translate_script(text) == script


def test_the_shipped_scripts_have_no_sqlite_syntax_after_translation() -> None:
    statements = "\n".join(translate_script(migration.script) for migration in load_migrations())
    lines = [line for line in statements.splitlines() if not line.lstrip().startswith("--")]
    for word in ("STRICT", "ROWID", "sqlite", "json_valid", "BLOB", "INTEGER", "audit_link"):
        assert not [line for line in lines if word in line]
