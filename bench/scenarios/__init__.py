"""The measured scenarios, one module each; `bench.report` judges and prints their figures."""
