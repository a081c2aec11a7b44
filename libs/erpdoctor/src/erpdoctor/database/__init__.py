"""Checks of the ERP's database: reached, encrypted, readable, and read-only."""

from erpdoctor.database.causes import NO_DRIVER
from erpdoctor.database.checks import DatabaseChecks, writing
from erpdoctor.database.sessions import FileSession, HanaSession, Session
from erpdoctor.database.target import DatabaseTarget, DatabaseTrouble

__all__ = [
    "NO_DRIVER",
    "DatabaseChecks",
    "DatabaseTarget",
    "DatabaseTrouble",
    "FileSession",
    "HanaSession",
    "Session",
    "writing",
]
