"""Database drivers that run one reading statement: SAP HANA and SQLite."""
