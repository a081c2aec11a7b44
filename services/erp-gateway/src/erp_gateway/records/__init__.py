"""Read and change ERP records, their files and the titles of their fields."""
