"""Errors as responses: a status, a code and a sentence. Any exception becomes one."""

from servicekit.errors.codes import error_classes
from servicekit.errors.field_problems import MAX_REPORTED, FieldProblem, ReportedProblems
from servicekit.errors.general import (
    BadRequest,
    BodyTooLarge,
    HeadersTooLarge,
    HttpVersionUnsupported,
    InternalError,
    Interrupted,
    InvalidBody,
    InvalidPath,
    InvalidQuery,
    MalformedJson,
    MethodNotAllowed,
    NotConfigured,
    NotFound,
    RequestTimeout,
    ShuttingDown,
    TransferEncodingUnsupported,
    UnsupportedMediaType,
)
from servicekit.errors.response import PROBLEM_MEDIA_TYPE, as_service_error, problem_response
from servicekit.errors.service_error import ServiceError, Upstream, type_and_text

__all__ = [
    "MAX_REPORTED",
    "PROBLEM_MEDIA_TYPE",
    "BadRequest",
    "BodyTooLarge",
    "FieldProblem",
    "HeadersTooLarge",
    "HttpVersionUnsupported",
    "InternalError",
    "Interrupted",
    "InvalidBody",
    "InvalidPath",
    "InvalidQuery",
    "MalformedJson",
    "MethodNotAllowed",
    "NotConfigured",
    "NotFound",
    "ReportedProblems",
    "RequestTimeout",
    "ServiceError",
    "ShuttingDown",
    "TransferEncodingUnsupported",
    "UnsupportedMediaType",
    "Upstream",
    "as_service_error",
    "error_classes",
    "problem_response",
    "type_and_text",
]
