"""The registry: declared resources and service actions, checked at start.

The list is positive. What is not declared does not exist for a client. A few things may never be declared:
the employee directory with its passwords, and everything that could reach it or write past this registry.
"""

from collections.abc import Iterable, Iterator

from attrs import frozen

from erp_gateway.records.proxy.declarations.checks import resource_problems
from erp_gateway.records.proxy.declarations.object_types import ENTITY_SETS
from erp_gateway.records.proxy.declarations.resource import Resource
from erp_gateway.records.proxy.declarations.secret_fields import SECRET_BODY_FIELDS, SECRET_FIELDS
from erp_gateway.records.proxy.declarations.service_action import ServiceAction
from erp_gateway.values.declarations import RegistryError
from erp_gateway.values.paths import collection_path
from erpclient.odata import OptionRules


@frozen(kw_only=True)
class Registered:
    """A resource that passed the checks, with the values that every request needs.

    Attributes:
        resource: the declaration.
        rules: names that its queries may use.
        hidden: properties that its answers leave out.
        allow: value of an `Allow` header for the collection path.
        allow_record: the same for the path of one record.
        service_path: its path below the API's root, `/api/sl/Orders`.
    """

    resource: Resource
    rules: OptionRules
    hidden: frozenset[str]
    allow: str
    allow_record: str
    service_path: str


class Registry:
    """The declared resources and service actions.

    Args:
        resources: one declaration per entity set.
        service_actions: query-only actions without a record; any session may call them.
        secret_fields: properties refused in queries and removed from answers.
        secret_body_fields: properties refused in bodies.

    Raises:
        RegistryError: with all faults of all declarations.
    """

    def __init__(
        self,
        resources: Iterable[Resource],
        service_actions: Iterable[ServiceAction | str],
        *,
        secret_fields: frozenset[str] = SECRET_FIELDS,
        secret_body_fields: frozenset[str] = SECRET_BODY_FIELDS,
    ) -> None:
        declared = tuple(resources)
        actions = tuple(map(ServiceAction.of, service_actions))
        problems = [*_declaration_problems(declared), *_action_problems(actions)]
        if problems:
            raise RegistryError(problems)
        self.secret_fields = secret_fields
        self.secret_body_fields = frozenset(name.casefold() for name in secret_body_fields)
        self._resources = {
            resource.name: _register(resource, secret_fields)
            for resource in sorted(declared, key=lambda resource: resource.name)
        }
        self._service_actions = {action.name: action for action in actions}

    @property
    def resources(self) -> tuple[Resource, ...]:
        """All declarations, by name."""
        return tuple(registered.resource for registered in self._resources.values())

    @property
    def registered(self) -> tuple[Registered, ...]:
        """All resources as registered, by name."""
        return tuple(self._resources.values())

    @property
    def object_types(self) -> dict[int, str]:
        """Entity set by object type, with those that the resources declare."""
        declared = {each.object_type: each.name for each in self.resources if each.object_type is not None}
        return {**ENTITY_SETS, **declared}

    @property
    def service_actions(self) -> tuple[str, ...]:
        """Names of all service actions, in their order."""
        return tuple(sorted(self._service_actions))

    def find(self, name: str) -> Registered | None:
        """Return the resource of this exact name, or `None`."""
        return self._resources.get(name)

    def is_service_action(self, name: str) -> bool:
        """Whether a service action of this exact name is declared."""
        return name in self._service_actions

    def find_service_action(self, name: str) -> ServiceAction | None:
        """Return the service action of this exact name, or `None`."""
        return self._service_actions.get(name)


def _register(resource: Resource, secret_fields: frozenset[str]) -> Registered:
    reading = ["GET", "HEAD"] if "GET" in resource.methods else []
    collection = [*reading, *(["POST"] if "POST" in resource.methods else [])]
    record = [*reading, *(["PATCH"] if "PATCH" in resource.methods else [])]
    return Registered(
        resource=resource,
        hidden=_passwords(resource, secret_fields) | resource.secret_fields,
        rules=OptionRules(
            expand=resource.expand,
            denied=secret_fields | resource.secret_fields,
            extra_names=resource.digit_names,
        ),
        allow=", ".join(collection),
        allow_record=", ".join(record),
        service_path=collection_path(resource.name),
    )


def _passwords(resource: Resource, secret_fields: frozenset[str]) -> frozenset[str]:
    """Return the passwords that its answers can hold: all listed ones unless the metadata was examined."""
    known = resource.known_passwords
    if known is None or known.name != resource.name or not resource.expand <= known.expand:
        return secret_fields
    return known.names


def _declaration_problems(resources: tuple[Resource, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for resource in resources:
        if resource.name.casefold() in seen:
            yield f"{resource.name}: declared twice"
        seen.add(resource.name.casefold())
        yield from (f"{resource.name}: {problem}" for problem in resource_problems(resource))


def _action_problems(actions: tuple[ServiceAction, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for action in actions:
        name = action.name
        if name.casefold() in seen:
            yield f"{name}: declared twice"
        seen.add(name.casefold())
        yield from (f"{name}: {problem}" for problem in action.problems())
