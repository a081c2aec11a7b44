"""Write values and errors as JSON and XML in the form of either generation, digit for digit."""
