"""Developer tools: set-up, locks, test runs and the local stack of real processes."""
