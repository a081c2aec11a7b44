"""What holds for the tests of every package: how Hypothesis judges a machine that is slow."""

from hypothesis import HealthCheck, settings

settings.register_profile("project", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("project")
