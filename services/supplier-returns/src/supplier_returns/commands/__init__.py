"""Commands that work in the ERP without the service."""

__all__ = []
