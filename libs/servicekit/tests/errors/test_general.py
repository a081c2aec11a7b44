"""Errors that any endpoint may answer."""

from error_classes import ready_errors

from servicekit.errors import (
    BadRequest,
    NotFound,
    ServiceError,
    general,
)


def test_refusals_form_the_families_that_the_head_of_the_module_draws() -> None:
    drawn = general.__doc__ or ""
    for cls in ready_errors():
        if cls.__module__ != general.__name__:
            continue
        assert f"{cls.status} {cls.code}" in drawn, cls
        parent = "ServiceError" if cls.__bases__ == (ServiceError,) else cls.__bases__[0].__name__
        assert parent in {"ServiceError", "BadRequest"}
    assert issubclass(general.MalformedJson, BadRequest)
    assert not issubclass(NotFound, BadRequest)
