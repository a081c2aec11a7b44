"""Causes that any check may have."""

from typing import Final

from erpdoctor.checks.finding import fail, skipped

DEPENDS_ON: Final = skipped(
    "depends_on",
    "Depende de otra prueba que no está bien, o que no se pudo mirar.",
    english="Another check that this one needs failed or was skipped.",
)

NO_ANSWER_IN_TIME: Final = fail(
    "no_answer_in_time",
    "No hubo respuesta a tiempo.",
    english="No response in time.",
    remedy="Revise si el sistema consultado está en marcha y si la red permite llegar a él.",
    english_remedy="Check that the other system runs and that the network lets this host reach it.",
)

DOCTOR_BROKE: Final = fail(
    "doctor_broke",
    "La prueba misma falló; esto no dice nada sobre la instalación.",
    english="The check itself failed. This is a bug of the doctor and says nothing about the installation.",
    remedy="Comuníquelo a quien mantiene este servicio, con la versión y el nombre de la prueba.",
    english_remedy="Report it to the maintainers of this service, with the version and the name of "
    "the check.",
)

EVERYWHERE: Final = (DEPENDS_ON, NO_ANSWER_IN_TIME, DOCTOR_BROKE)
"""Causes that any check may have without naming them."""
