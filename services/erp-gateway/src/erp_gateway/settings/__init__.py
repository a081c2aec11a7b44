"""Load the gateway's settings from the environment."""
