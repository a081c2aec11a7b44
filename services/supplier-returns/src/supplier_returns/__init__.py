"""Plans returns to suppliers and executes them in SAP Business One."""
