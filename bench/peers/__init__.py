"""The programs that the gateway is measured against."""
