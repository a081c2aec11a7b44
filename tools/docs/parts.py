"""Everything that `make docs` generates."""

from tools.docs import (
    api,
    doctor,
    errors,
    licences,
    questions,
    references,
    resources,
    rooms,
    routes,
    settings,
    states,
)

PARTS = (
    *settings.PARTS,
    *errors.PARTS,
    *routes.PARTS,
    *resources.PARTS,
    *references.PARTS,
    *questions.PARTS,
    *doctor.PARTS,
    *states.PARTS,
    *rooms.PARTS,
    *licences.PARTS,
    *api.PARTS,
)
