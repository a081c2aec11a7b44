"""Facts from a `$metadata` export: sets, types, properties, enumerations and operations."""

from erpsim.facts.loading import load_own_facts, load_packaged_facts
from erpsim.facts.model import EntitySetFacts, Facts, FactsError, TypeFacts

__all__ = ["EntitySetFacts", "Facts", "FactsError", "TypeFacts", "load_own_facts", "load_packaged_facts"]
