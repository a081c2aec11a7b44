"""`conformance` and `doctor --record`: what the gateway has asked of its ERP, and which ERP that is."""

from typing import Final

from erp_gateway.components import erp_credentials, erp_settings
from erp_gateway.doctor.questions import QUESTIONS
from erp_gateway.extensions import load_extensions
from erp_gateway.settings.root import Settings
from erpdoctor.conformance.command import Suite

WEB_USERS: Final = "EmployeesInfo"
"""Looked at beside the registered resources, its key alone: web login reads it."""


def suite_of(settings: Settings) -> Suite:
    """Return it for an installation; its entity sets raise an `ExtensionError`."""

    def entity_sets() -> list[str]:
        registries = load_extensions(settings.web.extensions, engine=settings.database_engine)
        return [WEB_USERS, *(each.name for each in registries.resources.resources)]

    return Suite(
        service="erp-gateway",
        questions=QUESTIONS,
        erp=erp_settings(settings),
        credentials=lambda: erp_credentials(settings.erp),
        company=settings.erp.company_db,
        environment=settings.installation.environment,
        entity_sets=entity_sets,
    )
