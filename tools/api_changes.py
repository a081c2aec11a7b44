"""Find changes of an API's description that break clients.

Run as: python -m tools.api_changes

It compares the OpenAPI document that each service prints with the last committed one in docs/api. It prints
breaking changes: removed routes, parameters and fields, new required ones, and values that are now rejected.
The exit code is 1 if there are any.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from tools.docs.api import FOLDER, SERVICES, print_document
from tools.packages import ROOT

_METHODS = ("get", "put", "post", "delete", "patch")

Json = Mapping[str, Any]


def breaking_changes(old: Json, new: Json) -> list[str]:
    """Return the breaking changes from `old` to `new`, one sentence each."""
    return list(_Comparison(old, new).problems())


class _Comparison:
    """Walks through both documents at once."""

    def __init__(self, old: Json, new: Json) -> None:
        self._old, self._new = old, new

    def problems(self) -> Iterator[str]:
        for path, methods in self._old["paths"].items():
            for method in _METHODS:
                if method not in methods:
                    continue
                name = f"{method.upper()} {path}"
                operation = self._new["paths"].get(path, {}).get(method)
                if operation is None:
                    yield f"{name}: is gone"
                else:
                    yield from self._operation(name, methods[method], operation)

    def _operation(self, name: str, old: Json, new: Json) -> Iterator[str]:
        yield from self._parameters(name, old.get("parameters", ()), new.get("parameters", ()))
        yield from self._request(name, old.get("requestBody"), new.get("requestBody"))
        if old.get("security") == [] and new.get("security"):
            yield f"{name}: needs a session now"
        for status, answer in old["responses"].items():
            if not status.startswith("2"):
                continue
            if status not in new["responses"]:
                yield f"{name}: no longer answers {status}"
                continue
            kept = new["responses"][status].get("content", {})
            for media_type, body in answer.get("content", {}).items():
                if media_type not in kept:
                    yield f"{name}: answer {status} is no longer {media_type}"
                else:
                    place = f"{name}: answer {status}"
                    yield from self._answered(place, body["schema"], kept[media_type]["schema"], ())

    def _parameters(self, name: str, old: list[Json], new: list[Json]) -> Iterator[str]:
        known = {(each["in"], each["name"]): each for each in old}
        by_name = {(each["in"], each["name"]): each for each in new}
        for key, parameter in known.items():
            place = f"{name}: {key[0]} parameter {key[1]}"
            if key not in by_name:
                yield f"{place} is gone"
                continue
            if by_name[key].get("required") and not parameter.get("required"):
                yield f"{place} is required now"
            yield from self._taken(place, parameter["schema"], by_name[key]["schema"], ())
        for key, parameter in by_name.items():
            if key not in known and parameter.get("required"):
                yield f"{name}: {key[0]} parameter {key[1]} is new and required"

    def _request(self, name: str, old: Json | None, new: Json | None) -> Iterator[str]:
        if new is not None and new.get("required") and not (old or {}).get("required"):
            yield f"{name}: the body is required now"
        if old is None:
            return
        if new is None:
            yield f"{name}: takes no body any more"
            return
        for media_type, body in old["content"].items():
            if media_type not in new["content"]:
                yield f"{name}: the body is no longer taken as {media_type}"
            else:
                schema = new["content"][media_type]["schema"]
                yield from self._taken(f"{name}: body", body["schema"], schema, ())

    def _answered(self, place: str, old: Json, new: Json, seen: tuple[str, ...]) -> Iterator[str]:
        """Yield what responses no longer contain."""
        if old.get("$ref", "") in seen:
            return
        seen = (*seen, *filter(None, [old.get("$ref")]))
        old, new = _resolved(old, self._old), _resolved(new, self._new)
        if not _types(new) <= _types(old):
            yield f"{place} is {_words(_types(new))} now, was {_words(_types(old))}"
            return
        fields = new.get("properties", {})
        for field, schema in old.get("properties", {}).items():
            if field not in fields:
                yield f"{place}: field {field} is gone"
                continue
            if field in old.get("required", ()) and field not in new.get("required", ()):
                yield f"{place}: field {field} may be missing now"
            yield from self._answered(f"{place}.{field}", schema, fields[field], seen)
        yield from self._inside(place, old, new, seen, self._answered)

    def _taken(self, place: str, old: Json, new: Json, seen: tuple[str, ...]) -> Iterator[str]:
        """Yield what requests may no longer contain, or must contain now."""
        if old.get("$ref", "") in seen:
            return
        seen = (*seen, *filter(None, [old.get("$ref")]))
        old, new = _resolved(old, self._old), _resolved(new, self._new)
        if not _types(old) <= _types(new):
            yield f"{place} must be {_words(_types(new))} now, might be {_words(_types(old))}"
            return
        yield from _narrowed(place, old, new)
        fields = old.get("properties", {})
        for field in new.get("required", ()):
            if field not in old.get("required", ()):
                yield f"{place}: field {field} is {'required now' if field in fields else 'new and required'}"
        for field, schema in fields.items():
            if field in new.get("properties", {}):
                yield from self._taken(f"{place}.{field}", schema, new["properties"][field], seen)
            elif "properties" in new:
                yield f"{place}: field {field} is not taken any more"
        yield from self._inside(place, old, new, seen, self._taken)

    @staticmethod
    def _inside(place: str, old: Json, new: Json, seen: tuple[str, ...], compare: Any) -> Iterator[str]:
        """Compare the contents of lists and alternatives."""
        if "items" in old and "items" in new:
            yield from compare(f"{place}[]", old["items"], new["items"], seen)
        for keyword in ("anyOf", "oneOf"):
            for before, after in zip(old.get(keyword, ()), new.get(keyword, ()), strict=False):
                yield from compare(place, before, after, seen)


_ANY_TYPE = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def _types(schema: Json) -> frozenset[str]:
    if "anyOf" in schema or "oneOf" in schema:
        alternatives = schema.get("anyOf", ()) or schema["oneOf"]
        return frozenset().union(*(_types(each) for each in alternatives))
    if "enum" in schema and "type" not in schema:
        return frozenset(_type_of(value) for value in schema["enum"])
    if "$ref" in schema:
        return frozenset({"object"})
    found = schema.get("type", _ANY_TYPE)
    return frozenset([found] if isinstance(found, str) else found)


def _type_of(value: object) -> str:
    return "string" if isinstance(value, str) else "null" if value is None else "number"


def _narrowed(place: str, old: Json, new: Json) -> Iterator[str]:
    refused = [value for value in old.get("enum", ()) if value not in new.get("enum", old.get("enum", ()))]
    if refused:
        yield f"{place} no longer takes {_words(map(str, refused))}"
    if "enum" in new and "enum" not in old:
        yield f"{place} takes only {_words(map(str, new['enum']))} now"
    for keyword, least in (("minimum", True), ("minLength", True), ("maximum", False), ("maxLength", False)):
        if keyword not in new:
            continue
        before, after = old.get(keyword), new[keyword]
        if before is None or (after > before if least else after < before):
            yield f"{place}: {keyword} is {after} now, was {'free' if before is None else before}"


def _resolved(schema: Json, document: Json) -> Json:
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def _words(words: Any) -> str:
    return ", ".join(sorted(words))


def main() -> int:
    """Print the breaking changes since the last commit; return the exit code."""
    problems = [
        f"{service}: {problem}"
        for service in SERVICES
        for problem in breaking_changes(
            json.loads(committed(f"{FOLDER}/{service}.json")), json.loads(print_document(service))
        )
    ]
    for problem in problems:
        print(f"breaks clients: {problem}")
    return 1 if problems else 0


def committed(file: str) -> str:
    """Return a file as the last commit has it."""
    command = ["git", "show", f"HEAD:{file}"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
