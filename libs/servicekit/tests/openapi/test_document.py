"""The OpenAPI document: valid, complete, and its examples fit its schemas."""

from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, Optional

import attrs
import pytest
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import OTHER_METHODS, Answer, Body, Endpoint, PathParam, QueryParam
from servicekit.endpoint.declare import HeaderParam
from servicekit.errors import NotFound, ServiceError
from servicekit.openapi import ApiInfo, SecurityScheme, build_document, with_documentation
from servicekit.openapi.schema import Schemas


class SessionRequired(ServiceError):  # noqa: N818 - a refusal, as in errors.py
    """No session."""

    status = 401
    code = "session_required"
    detail = "Inicie sesión."


class LastOne(ServiceError):  # noqa: N818 - as above
    """The last one stays."""

    status = 409
    code = "last_one"
    detail = "Es el último."


class Kind(Enum):
    TEXT = "text"
    NUMBER = "number"


@attrs.frozen(kw_only=True)
class Person:
    """A person.

    More about it.
    """

    web_user: str
    age: int | None = None
    boss: Optional["Person"] = None


@attrs.frozen(kw_only=True)
class Everything:
    text: str
    number: int
    factor: float
    total: Decimal
    fine: bool
    day: date
    at: datetime
    kind: Kind
    word: Literal["a", "b"]
    people: list[Person]
    names: tuple[str, ...]
    counts: dict[str, int]
    anything: Any
    either: int | str
    maybe: Person | None = None


async def never(_request: Request) -> Response:
    raise AssertionError


PERSON = {"webUser": "ana", "age": 3, "boss": None}
EVERYTHING = {
    "text": "x",
    "number": 1,
    "factor": 1.5,
    "total": 100.1,
    "fine": True,
    "day": "2026-01-31",
    "at": "2026-01-31T10:00:00Z",
    "kind": "text",
    "word": "a",
    "people": [PERSON],
    "names": ["x"],
    "counts": {"x": 1},
    "anything": [None],
    "either": "x",
    "maybe": None,
}

ENDPOINTS = [
    Endpoint(
        "GET",
        "/api/people",
        never,
        access="session",
        summary="List people",
        description="All of them.",
        tag="People",
        query=(
            QueryParam("page", "The page", 2, {"type": "integer", "minimum": 1}),
            QueryParam("$filter", "Which", required=True),
        ),
        headers=(HeaderParam("If-Match", "The tag", "*"),),
        responses={200: Answer("The people", Body(list[Person], [PERSON]))},
    ),
    Endpoint(
        "PUT",
        "/api/people/{webUser}",
        never,
        access="session",
        summary="Replace a person",
        tag="People",
        path_params={"webUser": PathParam("The user", "ana")},
        request=Body(Person, PERSON),
        responses={
            200: Answer("The person", Body(Person, PERSON), headers={"ETag": "The version"}),
            204: Answer("Nothing changed"),
        },
        errors=(LastOne, NotFound),
    ),
    Endpoint(
        "POST",
        "/api/free-form",
        never,
        access="public",
        summary="Anything",
        request=Body({"type": "object"}, {"x": 1}, required=False),
        responses={201: Answer("Everything", Body(Everything, EVERYTHING))},
    ),
    Endpoint(OTHER_METHODS, "/api/people", never, access="session", summary="Refuse", responses={}),
]

SESSION = SecurityScheme(
    name="session", scheme={"type": "http", "scheme": "bearer"}, errors=(SessionRequired,)
)
INFO = ApiInfo(
    title="A service",
    version="0.0.1",
    description="For *tests*.",
    security=lambda endpoint: SESSION if endpoint.access == "session" else None,
    access_note=lambda endpoint: f"Access: {endpoint.access}",
)


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return build_document(with_documentation(ENDPOINTS, INFO, access="public"), INFO)


def test_the_document_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"] == "3.1.0"
    OpenAPIV31SpecValidator(document).validate()


def test_every_endpoint_method_is_documented_once(document: dict[str, Any]) -> None:
    listed = {(method, path) for path, operations in document["paths"].items() for method in operations}
    assert listed == {
        ("get", "/api/people"),
        ("put", "/api/people/{webUser}"),
        ("post", "/api/free-form"),
        ("get", "/api/openapi.json"),
        ("get", "/api/docs"),
    }
    ids = [op["operationId"] for operations in document["paths"].values() for op in operations.values()]
    assert sorted(ids) == [
        "get_api_docs",
        "get_api_openapi_json",
        "get_api_people",
        "post_api_free_form",
        "put_api_people_by_webUser",
    ]


def bodies(document: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    found = []
    for path, operations in document["paths"].items():
        for operation in operations.values():
            carriers = [operation.get("requestBody", {}), *operation["responses"].values()]
            for carrier in carriers:
                for content in carrier.get("content", {}).values():
                    examples = [each["value"] for each in content.get("examples", {}).values()]
                    found += [
                        (path, content["schema"], each)
                        for each in [*examples, content.get("example")]
                        if each
                    ]
    return found


def test_every_example_matches_its_schema(document: dict[str, Any]) -> None:
    checked = bodies(document)
    assert len(checked) > 20
    for path, schema, example in checked:
        root = {**schema, "components": document["components"]}
        problems = [error.message for error in OAS31Validator(root).iter_errors(example)]
        assert problems == [], path


def test_a_response_may_have_alternative_media_types() -> None:
    events = Body({"type": "string"}, "data: {}", "text/event-stream")
    answer = Answer("Told.", Body({"type": "object"}, {}), others=(events,))
    endpoint = Endpoint("GET", "/x", never, access="public", summary="x", responses={200: answer})
    document = build_document([endpoint], ApiInfo(title="T", version="1", security=lambda _: None))
    content = document["paths"]["/x"]["get"]["responses"]["200"]["content"]
    assert {media: body["schema"] for media, body in content.items()} == {
        "application/json": {"type": "object"},
        "text/event-stream": {"type": "string"},
    }


def test_a_body_without_example_gets_a_generated_one() -> None:
    endpoint = Endpoint(
        "PUT",
        "/x",
        never,
        access="public",
        summary="x",
        request=Body(Person),
        responses={200: Answer("It.", Body(list[Person], []), others=(Body(Person, media_type="text/x"),))},
    )
    info = attrs.evolve(INFO, vocabulary={"webUser": "ana", "boss": None})
    operation = build_document([endpoint], info)["paths"]["/x"]["put"]
    person = {"webUser": "ana", "boss": None}
    assert operation["requestBody"]["content"]["application/json"]["example"] == person
    answer = operation["responses"]["200"]["content"]
    assert {media: body["example"] for media, body in answer.items()} == {
        "application/json": [],
        "text/x": person,
    }


def test_a_wrong_value_does_not_fit(document: dict[str, Any]) -> None:
    root = {"$ref": "#/components/schemas/Everything", "components": document["components"]}
    validator = OAS31Validator(root)
    for name, wrong in {
        "text": 1,
        "number": "x",
        "kind": "z",
        "people": [{}],
        "either": None,
        "extra": 1,
    }.items():
        assert not validator.is_valid({**EVERYTHING, name: wrong}), name


def test_every_operation_lists_its_errors_with_the_standard_body(document: dict[str, Any]) -> None:
    answers = document["paths"]["/api/people/{webUser}"]["put"]["responses"]
    codes = {
        status: set(answer["content"].get("application/problem+json", {}).get("examples", {}))
        for status, answer in answers.items()
        if "content" in answer
    }
    assert codes == {
        "200": set(),
        "400": {"invalid_path", "malformed_json", "invalid_body"},
        "401": {"session_required"},
        "404": {"not_found"},
        "408": {"request_timeout"},
        "409": {"last_one"},
        "413": {"body_too_large"},
        "415": {"unsupported_media_type"},
        "500": {"internal_error"},
        "503": {"shutting_down"},
    }
    listing = document["paths"]["/api/people"]["get"]["responses"]["400"]["content"]
    assert set(listing["application/problem+json"]["examples"]) == {"invalid_query"}
    conflict = answers["409"]
    assert conflict["description"] == "`last_one`"
    example = conflict["content"]["application/problem+json"]["examples"]["last_one"]["value"]
    assert (example["detail"], example["status"]) == ("Es el último.", 409)


def test_a_free_form_body_lists_no_shape_errors(document: dict[str, Any]) -> None:
    answers = document["paths"]["/api/free-form"]["post"]["responses"]
    assert set(answers["400"]["content"]["application/problem+json"]["examples"]) == {"malformed_json"}
    assert document["paths"]["/api/free-form"]["post"]["requestBody"]["required"] is False


def test_access_is_described_in_words_and_as_security(document: dict[str, Any]) -> None:
    people = document["paths"]["/api/people"]["get"]
    assert people["description"] == "All of them.\n\nAccess: session"
    assert people["security"] == [{"session": []}]
    assert document["paths"]["/api/free-form"]["post"]["security"] == []
    assert document["components"]["securitySchemes"] == {"session": SESSION.scheme}


def test_parameters_are_described(document: dict[str, Any]) -> None:
    page, filters, header = document["paths"]["/api/people"]["get"]["parameters"]
    assert page == {
        "name": "page",
        "in": "query",
        "required": False,
        "description": "The page",
        "schema": {"type": "integer", "minimum": 1},
        "example": 2,
    }
    assert (filters["required"], "example" in filters) == (True, False)
    assert (header["in"], header["name"]) == ("header", "If-Match")
    (key,) = document["paths"]["/api/people/{webUser}"]["put"]["parameters"]
    assert (key["in"], key["required"], key["example"]) == ("path", True, "ana")


def test_documented_responses_list_their_headers(document: dict[str, Any]) -> None:
    answers = document["paths"]["/api/people/{webUser}"]["put"]["responses"]
    assert answers["200"]["headers"]["ETag"]["description"] == "The version"
    assert answers["204"] == {"description": "Nothing changed"}


def test_a_class_becomes_a_closed_object_in_the_wires_names(document: dict[str, Any]) -> None:
    assert document["components"]["schemas"]["Person"] == {
        "type": "object",
        "description": "A person.",
        "properties": {
            "webUser": {"type": "string"},
            "age": {"type": ["integer", "null"]},
            "boss": {"anyOf": [{"$ref": "#/components/schemas/Person"}, {"type": "null"}]},
        },
        "required": ["webUser"],
        "additionalProperties": False,
    }


def test_a_class_without_docstring_or_required_field_is_described_shortly() -> None:
    bare = attrs.make_class("Bare", {"x": attrs.field(type=int, default=1)})
    bare.__doc__ = None
    schemas = Schemas()
    schemas.schema(bare)
    assert schemas.components["Bare"] == {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "additionalProperties": False,
    }


def test_computed_attributes_are_not_described() -> None:
    @attrs.frozen
    class Placed:
        x: int = 1
        place: str = attrs.field(default="here", init=False)

    schemas = Schemas()
    schemas.schema(Placed)
    assert set(schemas.components["Placed"]["properties"]) == {"x"}


@pytest.mark.parametrize("shape", [set[str], bytes, complex, "text"])
def test_a_type_without_json_form_is_refused(shape: Any) -> None:
    with pytest.raises(TypeError, match="no JSON Schema for"):
        Schemas().schema(shape)


def test_two_classes_with_the_same_name_are_refused() -> None:
    schemas = Schemas()
    schemas.schema(Person)
    with pytest.raises(TypeError, match="two classes are called Person"):
        schemas.schema(attrs.make_class("Person", ["x"]))
