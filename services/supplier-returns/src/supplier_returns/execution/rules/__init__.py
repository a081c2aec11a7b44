"""Pure decisions of an execution: the next step, the outcome, the changed values."""
