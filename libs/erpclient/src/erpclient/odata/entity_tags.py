"""Entity tags of the Service Layer, as a client sends them back."""


def parse_if_match(text: str) -> str:
    """Check an ``If-Match`` value and return it unchanged: ``*`` or one weak tag ``W/"…"``.

    The Service Layer ignores a strong, unquoted or otherwise odd tag and writes anyway
    (seen live on Service Layer 1000340), so nothing else may pass.

    Raises:
        InvalidEntityTag: anything else, lists of tags included.
    """
    raise NotImplementedError
