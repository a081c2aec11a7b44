"""Other people's clients against the simulated ERP, each as its registry has it, changed nowhere."""
