"""An error class of a test, and the ones that servicekit has."""

import json
from typing import Any

from servicekit.erp import errors as erp_errors
from servicekit.errors import ServiceError, general, problem_response


class Teapot(ServiceError):  # noqa: N818 - a refusal, named by what it says
    """A class of a test."""

    status = 409
    code = "teapot_busy"
    detail = "La tetera está ocupada."


def body(error: ServiceError) -> dict[str, Any]:
    """The body that a client gets."""
    answer = json.loads(bytes(problem_response(error, "id-1").body))
    assert isinstance(answer, dict)
    return answer


def ready_errors() -> list[type[ServiceError]]:
    """Every error class of servicekit."""
    return [
        value
        for module in (general, erp_errors)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, ServiceError) and value is not ServiceError
    ]
