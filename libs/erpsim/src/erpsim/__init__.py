"""The ERP in a box: a simulated SAP Business One Service Layer with the real one's bad habits.

In tests `erpsim.simulator.run_sim`, as a process `erpsim serve`; faults are in `erpsim.faults`, switches in
`erpsim.company.switches`.
"""
