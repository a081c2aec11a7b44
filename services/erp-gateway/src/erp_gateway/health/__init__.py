"""Command that checks the health of the process beside it; its path is stable because images run it."""
