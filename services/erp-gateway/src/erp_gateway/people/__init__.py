"""Sign people in with their ERP password, and decide which routes they may use."""
