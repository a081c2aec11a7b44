"""Simulated SAP Business One Service Layer that reproduces the quirks of real ones.

Tests use `erpsim.simulator.run_sim`; `erpsim serve` runs it as a process. `erpsim.faults` holds faults and
`erpsim.company.switches` the switches.
"""
