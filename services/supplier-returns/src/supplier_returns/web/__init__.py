"""Shared parts of all endpoints: sessions, origins, web application, and translation of ERP errors."""
