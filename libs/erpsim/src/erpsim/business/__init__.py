"""Apply SAP's own rules to the simulated company; `rules_by_set` maps entity sets to rules."""
