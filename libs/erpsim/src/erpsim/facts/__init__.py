"""In: a `$metadata` export of a company, or the packaged file made of one.
Out: facts: what the metadata says of sets, types, properties, enumerations and operations.
"""

from erpsim.facts.loading import load_own_facts, load_packaged_facts
from erpsim.facts.model import EntitySetFacts, Facts, FactsError, TypeFacts

__all__ = ["EntitySetFacts", "Facts", "FactsError", "TypeFacts", "load_own_facts", "load_packaged_facts"]
