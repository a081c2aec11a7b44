"""Commands that use the ERP without the service."""

__all__ = []
