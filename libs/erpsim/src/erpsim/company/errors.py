"""Refusals of the simulated Service Layer, and texts that several rules share.

Codes and texts were seen on real systems or are printed in the SAP manuals 1.22 and 1.29. If only the
situation is documented, a comment says that the text is assumed.
"""

from __future__ import annotations


class SlError(Exception):
    """A refusal of the Service Layer. The HTTP side renders it in the form of the OData version.

    Args:
        status: HTTP status of the answer.
        code: number of the refusal; OData v4 writes it as a string.
        text: the message, in English as a login without `Language` gets it.
    """

    def __init__(self, status: int, code: int, text: str) -> None:
        super().__init__(f"{status} {code}: {text}")
        self.status = status
        self.code = code
        self.text = text


class NotSimulatedError(SlError):
    """Something that a real company supports and the simulator does not: refused explicitly, never
    guessed.
    """

    def __init__(self, what: str) -> None:
        super().__init__(501, -1, f"erpsim does not simulate {what}")


# --- addresses
# -------------------------------------------------------------------------------------------------


def unknown_set() -> SlError:
    """Refusal of an unknown entity set: 400, not 404 (seen live in v1 and v2)."""
    return SlError(400, 200, "Unrecognized resource path.")


def unknown_service() -> SlError:
    """Refusal of an unknown service action at the root (seen live)."""
    return SlError(400, -1002, "Service Not Found")


def unknown_command() -> SlError:
    """Refusal of a POST below an entity that is not an action, `Orders(1)/DocumentLines` (seen live)."""
    return SlError(400, -1008, "Command Not Found")


def bad_key() -> SlError:
    """Refusal of a key of the wrong type. The status was seen live for a wrongly quoted key; the text is
    assumed.
    """
    return SlError(400, -1000, "Invalid key value in the resource path")


def bad_post() -> SlError:
    """A body that the query service can't read (text of SAP manual 1.22; the number is assumed)."""
    return SlError(400, -1000, "Bad post content")


# --- rows
# ---------------------------------------------------------------------------------------------------


def not_found() -> SlError:
    """Refusal of an unknown key: 404 in v1 and v2 (seen live)."""
    return SlError(404, -2028, "No matching records found (ODBC -2028)")


def nothing_to_remove(key: str) -> SlError:
    """Removal of a missing entity (recorded on 1000310 for a partner).

    Args:
        key: the text between the brackets of the address.
    """
    return SlError(404, -2028, f"Entity with value({key}) does not exist")


def no_match() -> SlError:
    """Refusal of an unknown code inside a body: 400 with the same number (seen live on document posts)."""
    return SlError(400, -2028, "No matching records found (ODBC -2028)")


def already_exists() -> SlError:
    """Refusal of a key that exists (seen live)."""
    return SlError(400, -2035, "This entry already exists in the following tables (ODBC -2035)")


def in_use() -> SlError:
    """Refusal to remove a definition that is in use (number and text of the DI API)."""
    return SlError(400, -1120, "Ref count for this object is higher then 0")


def too_long(name: str, type_name: str) -> SlError:
    """Refusal of a text longer than its column: it is not cut (text of several public clients; the number is
    assumed).
    """
    return SlError(400, -5002, f"Value too long in property '{name}' of '{type_name}'")


def stale_tag() -> SlError:
    """Refusal of an `If-Match` with an older version (SAP manual 1.22 chapter 5, seen live)."""
    return SlError(
        412,
        -2039,
        "Another user or another operation modified data; to continue, open the window again (ODBC -2039)",
    )


def not_supported() -> SlError:
    """Refusal of an action or removal that the object does not support, now or ever (SAP manual 1.22, 3.5.4;
    seen live).
    """
    return SlError(400, -5006, "The requested action is not supported for this object.")


def not_permitted() -> SlError:
    """The user lacks the right (SAP manual 1.29, chapter on SQL queries)."""
    return SlError(403, -6006, "You are not permitted to perform this action")


# --- bodies
# ----------------------------------------------------------------------------------------------------


def unknown_property(name: str, type_name: str) -> SlError:
    """Refusal of an unknown property in a body or in `$select` (seen live)."""
    return SlError(400, -1000, f"Property '{name}' of '{type_name}' is invalid")


def bad_value(value: object, name: str) -> SlError:
    """Refusal of a value that the property can't hold (seen live for user fields; assumed for the others)."""
    shown = "" if value is None else str(value)
    return SlError(400, -1004, f"'{shown}' is not a valid value for property '{name}'")


def field_fixed() -> SlError:
    """Refusal to change a fixed property (seen live)."""
    return SlError(400, -1029, "Field cannot be updated (ODBC -1029)")


def refused(text: str) -> SlError:
    """A refusal of the business rules without a number of its own (SAP manual 1.22 and captures)."""
    return SlError(400, -10, text)


def invalid(text: str) -> SlError:
    """A refusal by the object's own validation (captures)."""
    return SlError(400, -5002, text)


def period_locked() -> SlError:
    """A posting date in a locked period (text and number of several public clients)."""
    return SlError(400, -4013, "Posting period locked; specify an alternative date")


def incomplete_selection() -> SlError:
    """Goods managed by batch or serial number without their numbers (integrators' notes)."""
    return SlError(400, -4014, "Cannot add row without complete selection of batch/serial numbers")


# --- query options
# ---------------------------------------------------------------------------------------------


def bad_filter() -> SlError:
    """Refusal of a filter that does not parse (seen live)."""
    return SlError(400, 201, "Query string error - Invalid filter condition")


def bad_filter_symbol() -> SlError:
    """Refusal of a character outside the filter grammar, such as a lambda's colon (two live reports)."""
    return SlError(400, 201, "Query string error - Invalid symbol in the filter condition")


def unknown_filter_property(name: str) -> SlError:
    """Refusal of an unknown name in `$filter` (seen live); the same text is assumed for `$orderby`."""
    return SlError(400, 201, f"Property '{name}' is invalid")


def unknown_function(name: str, type_name: str) -> SlError:
    """Refusal of an unsupported function, which the ERP reads as a property name (`toupper`, seen live)."""
    return SlError(400, 201, f"Property '{name}' of '{type_name}' is invalid")


def bad_option(option: str) -> SlError:
    """Refusal of an invalid value of a query option (400 by SAP manual 1.22, 3.7.7; the text is assumed)."""
    return SlError(400, 201, f"Query string error - Invalid value of {option}")
