"""In: whether each call of any client was answered, and time.
Out: whether the ERP gives answers at all; a probe when it seems not to, and who waits sent away.
"""

from erpclient.health.balancer import Balancer, BalancerWatch
from erpclient.health.monitor import HealthMonitor
from erpclient.health.states import Condition

__all__ = ["Balancer", "BalancerWatch", "Condition", "HealthMonitor"]
