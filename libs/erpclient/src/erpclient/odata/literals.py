"""Values written as OData literals."""


def quote_string(text: str) -> str:
    """Write a text as a string literal: in quotes, each quote inside doubled, nothing else changed.

    Raises:
        InvalidLiteral: the text holds a control character, a line separator, a lone surrogate or a
            replacement character; no field of the ERP does.
    """
    raise NotImplementedError
