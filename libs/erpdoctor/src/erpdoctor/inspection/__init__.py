"""In: where a Service Layer is and who may look at it.
Out: its answers as they came, by reads alone, in one session of its own that is opened once.
"""

from erpdoctor.inspection.answers import (
    Answer,
    LoginFacts,
    LoginTrouble,
    ReadTrouble,
    login_trouble,
    read_trouble,
    tag_of,
)
from erpdoctor.inspection.inspection import READING_SERVICES, Inspection
from erpdoctor.inspection.metadata import EntityFacts, Metadata, read_metadata

__all__ = [
    "READING_SERVICES",
    "Answer",
    "EntityFacts",
    "Inspection",
    "LoginFacts",
    "LoginTrouble",
    "Metadata",
    "ReadTrouble",
    "login_trouble",
    "read_metadata",
    "read_trouble",
    "tag_of",
]
