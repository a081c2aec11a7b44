"""The real processes on loopback: simulated ERP, gateway and nginx, for the demo, the end-to-end tests and the benchmarks."""
