"""The runbook of the containers, walked through with a real engine (`make images-check`)."""
