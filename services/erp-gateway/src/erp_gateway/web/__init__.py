"""Parts that all endpoints share: the access guard, sessions, and the mapping of ERP errors to responses."""
