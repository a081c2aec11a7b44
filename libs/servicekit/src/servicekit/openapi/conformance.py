"""Validation of responses against the OpenAPI document."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from servicekit.errors import PROBLEM_MEDIA_TYPE
from servicekit.openapi.document import MAY_BE_EMPTY

SchemaProblems = Callable[[Mapping[str, Any], object], Iterable[str]]
"""Says what is wrong with a value by a JSON Schema 2020-12 that holds everything it refers to."""

_PROBLEM: Final = {"$ref": "#/components/schemas/Problem"}


@attrs.frozen
class ReceivedResponse:
    """One answer.

    Attributes:
        method: The request's.
        path: The request's, still encoded, without the query.
        status: The answer's.
        media_type: The answer's `Content-Type`, parameters and all; "" for none.
        content: The answer's body.
    """

    method: str
    path: str
    status: int
    media_type: str
    content: bytes


class ResponseValidator:
    """Validates responses against a document of `build_document`.

    Args:
        document: The description.
        schema_problems: What validates; servicekit itself needs no such library.
    """

    def __init__(self, document: Mapping[str, Any], schema_problems: SchemaProblems) -> None:
        self.document = document
        self._schema_problems = schema_problems

    def problems(self, answered: ReceivedResponse) -> list[str]:
        """Return each deviation from the document as a sentence.

        The status, the media type and the `code` of an error must be described for the operation, and the
        body must fit its schema. Of an address or method that is not described only the form of the error
        is known.
        """
        media = _bare(answered.media_type)
        found = self._find(answered.path.split("/"))
        method = "get" if answered.method == "HEAD" else answered.method.lower()
        if found is None or method not in found[1]:
            wrong = self._body_problems(_PROBLEM, answered) if media == PROBLEM_MEDIA_TYPE else ()
            return [f"{answered.method} {answered.path} {answered.status}: {each}" for each in wrong]
        template, methods = found
        wrong = self._operation_problems(methods[method]["responses"], media, answered)
        return [f"{answered.method} {template} {answered.status}: {each}" for each in wrong]

    def _operation_problems(
        self, responses: Mapping[str, Any], media: str, answered: ReceivedResponse
    ) -> Iterator[str]:
        described = responses.get(str(answered.status))
        if described is None:
            yield f"the status is not described: {_start(answered.content)}"
            return
        content = {_bare(media_type): body for media_type, body in described.get("content", {}).items()}
        may_be_empty = not content or MAY_BE_EMPTY in described
        if answered.method == "HEAD" or (may_be_empty and not answered.content):
            return
        if media not in content:
            known = ", ".join(content) or "no body"
            yield f"{media or 'a body without a type'} is not described, only {known}"
            return
        if media.endswith("json"):
            yield from self._body_problems(content[media]["schema"], answered)
        if media == PROBLEM_MEDIA_TYPE:
            code = json.loads(answered.content).get("code")
            if code not in content[media]["examples"]:
                yield f"the code {code} is not described: name its class in errors= of the Endpoint"

    def _body_problems(self, schema: Mapping[str, Any], answered: ReceivedResponse) -> Iterator[str]:
        rooted = {**schema, "components": self.document["components"]}
        yield from self._schema_problems(rooted, json.loads(answered.content))

    def _find(self, segments: Sequence[str]) -> tuple[str, Mapping[str, Any]] | None:
        """Return the template and operations of a path; a literal segment wins over a parameter."""
        templates = (template for template in self.document["paths"] if _fits(template.split("/"), segments))
        best = min(
            templates, key=lambda template: [part[:1] == "{" for part in template.split("/")], default=None
        )
        return None if best is None else (best, self.document["paths"][best])


def _fits(template: Sequence[str], segments: Sequence[str]) -> bool:
    return len(template) == len(segments) and all(
        segment != "" if part[:1] == "{" else part == segment
        for part, segment in zip(template, segments, strict=True)
    )


def _bare(media_type: str) -> str:
    """Return a media type without its parameters."""
    return media_type.partition(";")[0].strip()


def _start(content: bytes) -> str:
    return content[:300].decode("utf-8", "replace")
