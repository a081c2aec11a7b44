"""The real processes on loopback, for the demo, the end-to-end tests and the benchmarks."""
