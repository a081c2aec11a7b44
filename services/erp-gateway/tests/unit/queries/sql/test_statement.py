"""SQL texts: what is a single read, what is not, and where parameters stand."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.queries.sql.pieces import StatementError
from erp_gateway.queries.sql.statement import quoted_name, read_statement


@pytest.mark.parametrize(
    ("sql", "rewritten", "names"),
    [
        ("SELECT a FROM b WHERE c = :c", "SELECT a FROM b WHERE c = ?", ("c",)),
        ("SELECT a FROM b WHERE c>:c AND d<=:d", "SELECT a FROM b WHERE c>? AND d<=?", ("c", "d")),
        ("SELECT :x, :y, :x FROM DUMMY", "SELECT ?, ?, ? FROM DUMMY", ("x", "y", "x")),
        ("SELECT :date, :from FROM DUMMY", "SELECT ?, ? FROM DUMMY", ("date", "from")),
        ("SELECT :delete, :into FROM DUMMY", "SELECT ?, ? FROM DUMMY", ("delete", "into")),
        ("SELECT (:f) FROM DUMMY", "SELECT (?) FROM DUMMY", ("f",)),
        ("SELECT a FROM b WHERE c IN (:p,:q)", "SELECT a FROM b WHERE c IN (?,?)", ("p", "q")),
        ("SELECT '12:30', ':a', 'it''s :b' FROM t", None, ()),
        ('SELECT "a:b", "x "":y" FROM t', None, ()),
        ("SELECT a -- :b, 'and\n FROM t /* :c ' \" */", None, ()),
        ("SELECT N'x:y' FROM t", None, ()),
        ("SELECT a FROM t;", "SELECT a FROM t", ()),
        ("SELECT a FROM t ; -- the end", "SELECT a FROM t ", ()),
        ("  /* why */ select a from t", None, ()),
        ("WITH x AS (SELECT 1 AS a FROM DUMMY) SELECT a FROM x", None, ()),
        ('WITH "x" ("a", "b") AS (SELECT 1, 2 FROM DUMMY) SELECT "a" FROM "x"', None, ()),
        ("SELECT REPLACE(a, 'x', 'y') FROM t", None, ()),
        ("SELECT a, 'NEXTVAL' FROM t FOR JSON ('omitnull' = 'no')", None, ()),
        (
            "SELECT a FROM t WHERE b = :b WITH HINT (NO_CS_JOIN)",
            "SELECT a FROM t WHERE b = ? WITH HINT (NO_CS_JOIN)",
            ("b",),
        ),
        ("SELECT EXTRACT(DAY FROM ADD_DAYS(a, 1)) FROM t", None, ()),
        ("SELECT COUNT(*) FROM (SELECT a FROM t) x WHERE a IN (SELECT MAX(b) FROM u)", None, ()),
        ('SELECT "Update", "INTO" FROM "@CALL" WHERE "DELETE" = 1', None, ()),
        ("SELECT a FROM t UNION ALL SELECT b FROM u ORDER BY 1 LIMIT 5", None, ()),
        ("SELECT * FROM UNNEST(a), JSON_TABLE(b, '$')", None, ()),
        ("SELECT a FROM LATERAL (SELECT 1 AS a FROM DUMMY) x", None, ()),
        ("SELECT ñandú, a$b FROM año", None, ()),
        ("SELECT a FROM ((SELECT 1 AS a FROM DUMMY)) x", None, ()),
    ],
)
def test_a_single_read_is_served_with_its_parameters_in_their_places(
    sql: str, rewritten: str | None, names: tuple[str, ...]
) -> None:
    statement = read_statement(sql)
    assert statement.sql == (sql if rewritten is None else rewritten)
    assert statement.parameters == names


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("", "SELECT or WITH"),
        ("-- nothing", "SELECT or WITH"),
        ("INSERT INTO t VALUES (1)", "SELECT or WITH"),
        ("CALL p(1)", "SELECT or WITH"),
        ("EXPLAIN SELECT 1 FROM DUMMY", "SELECT or WITH"),
        ("(SELECT 1 FROM DUMMY)", "SELECT or WITH"),
        ("WITH x AS (SELECT 1 FROM DUMMY) VALUES (1)", "WITH ... SELECT"),
        ("SELECT 1 FROM DUMMY; SELECT 2 FROM DUMMY", "one statement"),
        ("SELECT 1 FROM DUMMY; DROP TABLE t", "one statement"),
        ("SELECT 1 FROM DUMMY;;", "one statement"),
        ("SELECT 1 /* ; */ FROM DUMMY", "comment"),
        ("SELECT 1 FROM DUMMY -- ; DELETE", "comment"),
        ("SELECT 1 /* /* */ */ FROM DUMMY", "comment"),
        ("SELECT 1 -- a\rFROM DUMMY", "comment"),
        ("SELECT 1 -- a\x85FROM DUMMY", "comment"),
        ("SELECT 1 -- a\u2028FROM DUMMY", "comment"),
        ("SELECT\u00a0a FROM t", "unexpected character"),
        ("SELECT 'a FROM t", "does not end"),
        ('SELECT "a FROM t', "does not end"),
        ("SELECT /* a FROM t", "does not end"),
        ("WITH x AS (DELETE FROM t) SELECT 1 FROM x", "DELETE"),
        ("WITH x AS (SELECT 1 AS a FROM DUMMY) UPDATE t SET a = 1", "UPDATE"),
        ("WITH x AS (SELECT 1 FROM DUMMY) REPLACE INTO t SELECT 1 FROM x", "REPLACE"),
        ("SELECT 1 FROM FINAL TABLE (INSERT INTO t VALUES (1))", "INSERT"),
        ("select a into b from t", "INTO"),
        ("SELECT a FROM t FOR UPDATE", "FOR UPDATE"),
        ("SELECT a FROM t for share lock", "FOR SHARE"),
        ("SELECT s.NEXTVAL FROM DUMMY", "NEXTVAL"),
        ('SELECT s."NextVal" FROM DUMMY', "NEXTVAL"),
        ("SELECT * FROM MY_FUNCTION(1)", "table functions"),
        ("SELECT * FROM t, MY_FUNCTION(1)", "table functions"),
        ("SELECT * FROM t FOR SYSTEM_TIME AS OF '2024-01-01', MY_FUNCTION(1)", "table functions"),
        ("SELECT * FROM t JOIN MY_FUNCTION(1) f ON 1 = 1", "table functions"),
        ("SELECT * FROM (MY_FUNCTION(1))", "table functions"),
        ("SELECT * FROM ((MY_FUNCTION(1)))", "table functions"),
        ("SELECT * FROM TABLE(MY_FUNCTION(1))", "table functions"),
        ("SELECT 1 FROM t WHERE a IN (SELECT b FROM MY_FUNCTION(:c))", "table functions"),
        ('SELECT * FROM "S"."P"(1)', "own schema"),
        ("SELECT S.P(1) FROM DUMMY", "own schema"),
        ('SELECT "P" ("A") FROM DUMMY', "own schema"),
        ("SELECT a FROM t WHERE b = ?", "not ?"),
        ("SELECT a::int FROM t", "begins no parameter"),
        ("SELECT : a FROM t", "begins no parameter"),
        ("SELECT a FROM t WHERE b = :1", "begins no parameter"),
        ("SELECT a FROM t WHERE b = :'x'", "begins no parameter"),
        ("SELECT a FROM t WHERE b = :ñ", "begins no parameter"),
        ("SELECT a FROM t WHERE b = :", "begins no parameter"),
        ("SELECT (a FROM t", "without its ')'"),
        ("SELECT a) FROM t", "without its '('"),
        ("SELECT [a] FROM t", "'['"),
        ("SELECT a FROM t WHERE {{ b }}", "'{'"),
        ("SELECT $$a$$ FROM t", "'$$a$$'"),
        ("SELECT a FROM #t", "'#'"),
        ("SELECT `a` FROM t", "'`'"),
    ],
)
def test_everything_else_is_refused_with_its_reason(sql: str, reason: str) -> None:
    with pytest.raises(StatementError, match=re.escape(reason)):
        read_statement(sql)


pieces = st.sampled_from(
    [
        "SELECT",
        "FROM",
        "WITH",
        "a",
        ":p",
        "'",
        '"',
        "--",
        "/*",
        "*/",
        ";",
        "\n",
        "(",
        ")",
        "DELETE",
        "INTO",
        ",",
    ]
)


@given(st.lists(pieces, max_size=20))
def test_an_accepted_text_is_one_statement_without_write_words_outside_quotes(words: list[str]) -> None:
    sql = "SELECT " + " ".join(words)
    try:
        statement = read_statement(sql)
    except StatementError:
        return
    bare = re.sub(
        r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/""", " ", statement.sql, flags=re.DOTALL
    )
    assert not re.search(r"DELETE|INTO|[;:'\"]", bare)
    assert bare.count("?") == len(statement.parameters)


@given(st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30))
def test_a_quoted_text_is_never_parsed_as_sql(text: str) -> None:
    literal = "'" + text.replace("'", "''") + "'"
    is_sequence = text.strip('"').upper() == "NEXTVAL"  # refused as a name, in quotes or without
    sql = f"SELECT {literal} AS {quoted_name('x' if is_sequence else text or 'x')}, :a FROM DUMMY"
    statement = read_statement(sql)
    assert statement.parameters == ("a",)
    assert statement.sql == sql[: sql.rindex(":a")] + "?" + sql[sql.rindex(":a") + 2 :]
