"""Record every write before it is sent, and answer a repeated request with the first result."""
