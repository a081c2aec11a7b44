"""Export CSV and XLSX files, and run long exports as background jobs."""
