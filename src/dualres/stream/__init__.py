"""Live streams: samples in, in chunks of any size, and verdicts out, the same to the last bit as on a recording."""

from dualres.stream.monitor.event import Event as Event
from dualres.stream.monitor.monitor import Monitor as Monitor
from dualres.stream.monitor.monitor import score_together as score_together
