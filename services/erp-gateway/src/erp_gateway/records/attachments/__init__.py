"""Upload, list and read the files of an ERP record."""
