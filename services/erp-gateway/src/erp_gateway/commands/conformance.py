"""Conformance questions of the gateway, for the ERP of an installation."""

from erp_gateway.components import erp_credentials, erp_settings
from erp_gateway.doctor.conformance.questions import QUESTIONS
from erp_gateway.settings.root import Settings
from erpdoctor.conformance.command import Suite


def suite_of(settings: Settings) -> Suite:
    """Return the suite of an installation."""
    return Suite(
        service="erp-gateway",
        questions=QUESTIONS,
        erp=erp_settings(settings),
        credentials=lambda: erp_credentials(settings.erp),
        company=settings.erp.company_db,
        environment=settings.installation.environment,
    )
