"""Whether the process lives, and whether it can reach the ERP."""
