"""Run translated statements on the company's and the sample tables with DuckDB."""
