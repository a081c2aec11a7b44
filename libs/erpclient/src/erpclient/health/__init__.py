"""Decide from the results of all calls whether the ERP responds, and probe it when it seems not to."""

from erpclient.health.balancer import Balancer, BalancerWatch
from erpclient.health.monitor import HealthMonitor
from erpclient.health.states import Condition

__all__ = ["Balancer", "BalancerWatch", "Condition", "HealthMonitor"]
