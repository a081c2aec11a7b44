"""Conformance questions about ERP behaviour that planning and executing returns rely on."""
