"""Reports rendered as HTML or PDF from registered database queries."""
