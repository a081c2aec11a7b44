"""What is measured, one module each. A scenario returns its figures; `bench.report` judges and prints them."""
