"""Entity tags of the Service Layer, as a client sends them back."""

import re
from typing import Final

from erpclient.odata.errors import Expected, InvalidEntityTag, ODataErrorCode, shown

_IF_MATCH: Final = re.compile(r'\*|W/"[\x21\x23-\x7e]{1,128}"')


def parse_if_match(text: str) -> str:
    """Check an ``If-Match`` value and return it unchanged: ``*`` or one weak tag ``W/"…"``.

    The Service Layer ignores a strong, unquoted or otherwise odd tag and writes anyway
    (seen live on Service Layer 1000340), so nothing else may pass.

    Raises:
        InvalidEntityTag: anything else, lists of tags included.
    """
    if _IF_MATCH.fullmatch(text):
        return text
    raise InvalidEntityTag(
        ODataErrorCode.IF_MATCH,
        "neither * nor one weak entity tag",
        expected=(Expected.STAR, Expected.ENTITY_TAG),
        found=shown(text),
    )
