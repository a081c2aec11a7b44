"""Ask the ERP questions about behaviour that our code assumes, and compare its answers."""
