"""Report whether the process is alive and whether it can reach the ERP."""
