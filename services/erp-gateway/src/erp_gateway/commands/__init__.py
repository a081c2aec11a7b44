"""Commands that an administrator runs beside the service."""
