"""docs/before-you-start.md tells the ERP administrator what `rebuild` really adds."""

from pathlib import Path

from supplier_returns.metadata.definitions import load_definitions
from supplier_returns.saved_queries.queries import STORED_QUERIES

PAGE = (Path(__file__).parents[5] / "docs" / "before-you-start.md").read_text(encoding="utf-8")


def test_the_page_names_all_tables_the_object_all_queries_and_the_fields_of_purchase_documents() -> None:
    needed = load_definitions()
    section = PAGE.partition("## What `rebuild` adds")[2].partition("\n## ")[0]
    for name in (*(f"@{table.name}" for table in needed.tables), needed.user_object.code):
        assert f"`{name}`" in section, name
    for query in STORED_QUERIES:
        assert f"`{query.code}`" in section, query.code
    own = sum(len(group.fields) for group in needed.groups if group.table is not None)
    assert f"| User fields in them | {own} |" in section
    for group in needed.groups:
        if group.table is None:
            assert group.field_table in section
            assert all(f"`U_{field.name}`" in section for field in group.fields)
