"""Shared parts of all endpoints: sessions, origins, the web application, and the mapping of ERP errors."""
