"""Benchmarks: the gateway against its peers on one machine. Run with `make bench`."""
