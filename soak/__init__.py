"""Both services as real processes, people and bad weather; then what ERP, store and audit say."""
