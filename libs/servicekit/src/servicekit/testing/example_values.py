"""For tests of services: checks of the examples that a service's document generates."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import msgspec
from typing_extensions import override

from servicekit.endpoint import Endpoint, parse_json
from servicekit.endpoint.examples import example_of
from servicekit.endpoint.shapes import structure
from servicekit.errors import InvalidBody
from servicekit.openapi import ApiInfo, build_document


def unused_values(endpoints: Sequence[Endpoint], info: ApiInfo) -> set[str]:
    """Return the names of the vocabulary that no example of these endpoints shows."""
    vocabulary = _Recording(info.vocabulary)
    build_document(endpoints, attrs.evolve(info, vocabulary=vocabulary))
    return set(vocabulary) - vocabulary.read


def refused_examples(endpoints: Sequence[Endpoint], info: ApiInfo) -> dict[str, InvalidBody]:
    """Return which requests would be refused if a client sent the example, validators included."""
    refused = {}
    for endpoint in endpoints:
        if endpoint.request is None or isinstance(endpoint.request.shape, Mapping):
            continue
        body, shape = endpoint.request, endpoint.request.shape
        example = example_of(shape, info.vocabulary) if body.example is None else body.example
        try:
            structure(parse_json(msgspec.json.encode(example)), shape)
        except InvalidBody as refusal:
            refused[f"{endpoint.method} {endpoint.path}"] = refusal
    return refused


class _Recording(dict[str, Any]):
    """A vocabulary that records which of its values were read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.read: set[str] = set()

    @override
    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)
