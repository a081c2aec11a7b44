"""Validation of responses against the OpenAPI document."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from servicekit.errors import PROBLEM_MEDIA_TYPE
from servicekit.openapi.document import MAY_BE_EMPTY

SchemaProblems = Callable[[Mapping[str, Any], object], Iterable[str]]
"""Returns the problems of a value by a self-contained JSON Schema 2020-12."""

_PROBLEM: Final = {"$ref": "#/components/schemas/Problem"}


@attrs.frozen
class ReceivedResponse:
    """One response.

    Attributes:
        method: the request's.
        path: the request's, still encoded, without the query.
        status: the response's.
        media_type: the response's `Content-Type` with parameters; "" for none.
        content: the response's body.
    """

    method: str
    path: str
    status: int
    media_type: str
    content: bytes


class ResponseValidator:
    """Validates responses against a document of `build_document`.

    Args:
        document: the description.
        schema_problems: the validator; servicekit itself depends on no such library.
    """

    def __init__(self, document: Mapping[str, Any], schema_problems: SchemaProblems) -> None:
        self.document = document
        self._schema_problems = schema_problems

    def problems(self, response: ReceivedResponse) -> list[str]:
        """Return each deviation from the document as a sentence.

        The status, the media type and the `code` of an error must be described for the operation, and the
        body must fit its schema. For an undescribed address or method only the form of the error is checked.
        """
        media = _bare(response.media_type)
        match = self._find(response.path.split("/"))
        method = "get" if response.method == "HEAD" else response.method.lower()
        if match is None or method not in match[1]:
            wrong = self._body_problems(_PROBLEM, response) if media == PROBLEM_MEDIA_TYPE else ()
            return [f"{response.method} {response.path} {response.status}: {each}" for each in wrong]
        template, methods = match
        wrong = self._operation_problems(methods[method]["responses"], media, response)
        return [f"{response.method} {template} {response.status}: {each}" for each in wrong]

    def _operation_problems(
        self, responses: Mapping[str, Any], media: str, response: ReceivedResponse
    ) -> Iterator[str]:
        described = responses.get(str(response.status))
        if described is None:
            yield f"the status is not described: {_start(response.content)}"
            return
        content = {_bare(media_type): body for media_type, body in described.get("content", {}).items()}
        may_be_empty = not content or MAY_BE_EMPTY in described
        if response.method == "HEAD" or (may_be_empty and not response.content):
            return
        if media not in content:
            alternatives = ", ".join(content) or "no body"
            yield f"{media or 'a body without a type'} is not described, only {alternatives}"
            return
        if media.endswith("json"):
            yield from self._body_problems(content[media]["schema"], response)
        if media == PROBLEM_MEDIA_TYPE:
            code = json.loads(response.content).get("code")
            if code not in content[media]["examples"]:
                yield f"the code {code} is not described: name its class in errors= of the Endpoint"

    def _body_problems(self, schema: Mapping[str, Any], response: ReceivedResponse) -> Iterator[str]:
        rooted = {**schema, "components": self.document["components"]}
        yield from self._schema_problems(rooted, json.loads(response.content))

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
    return media_type.partition(";")[0].strip()


def _start(content: bytes) -> str:
    return content[:300].decode("utf-8", "replace")
