"""Report whether the process is alive and whether the ERP is available."""
