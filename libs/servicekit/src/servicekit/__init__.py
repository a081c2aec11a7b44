"""Shared parts of service processes: configuration, logs, errors, endpoints, metrics, serving.

A closed list of modules without an ERP word or a business word; the README has the rule of what may come in.
Import from the modules (`from servicekit.errors import ServiceError`); this file exports nothing.
"""
