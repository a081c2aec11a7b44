"""Shared parts of service processes: configuration, logs, errors, endpoints, metrics, serving.

It contains no term of the ERP or the business except in `erp`; the README states the rule for additions.
Import from the modules (`from servicekit.errors import ServiceError`); this file exports nothing.
"""
