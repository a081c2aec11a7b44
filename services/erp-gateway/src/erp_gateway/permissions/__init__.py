"""Which menu routes a web user may use."""
