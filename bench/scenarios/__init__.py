"""What is measured, one module each; `bench.report` judges and prints the figures they return."""
