"""Processes that stand by for each other: one works, and when it ends another goes on where it was."""

import threading
from collections.abc import Callable
from uuid import uuid4

from dualres.errors import ConfigError
from dualres.stream.watch.agent import Agent
from dualres.stream.watch.failover.checkpoint import Checkpoints, StreamCheckpoint, unpack
from dualres.stream.watch.failover.leader_election import TurnLostError
from dualres.stream.watch.failover.mqtt_failover import MqttFailover
from dualres.stream.watch.spool import Spool, SpoolFullError

PAUSE_S = 1.0  # after a turn that was lost


class Standby:
    """Works whenever it is its turn, until it is stopped.

    A turn begins with what the process before has left at the broker. If that was this very process, its spool holds
    the same and what came since, perhaps more than the broker has.
    """

    def __init__(
        self,
        new_source: Callable[[], MqttFailover],
        spool: Spool,
        new_agent: Callable[[MqttFailover, Checkpoints], Agent],
        say: Callable[[str], None],
    ) -> None:
        self._new_source, self._spool, self._new_agent, self._say = new_source, spool, new_agent, say
        self._stopped, self._by = threading.Event(), uuid4().hex
        self._agent: Agent | None = None
        self.source_errors: list[Exception] = []  # what ended it, other than a turn that was lost
        self.stream_errors: list[Exception] = []  # it never ends by itself, so it has no final report

    def stop(self) -> None:
        self._stopped.set()
        if self._agent:
            self._agent.stop()

    @property
    def undelivered(self) -> dict[str, int]:
        """Nothing that is kept here: whoever is next makes those verdicts again."""
        return {}

    def run(self) -> None:
        """Turn after turn, until it is stopped or nobody listens to a sink any more."""
        while not self._stopped.is_set() and not self.source_errors:
            source = self._new_source()
            try:
                self._take_over(source.claim(self._say, self._stopped))
            except (TurnLostError, SpoolFullError) as error:
                source.abandon()
                if not self._stopped.is_set():
                    self._say(f"{error}; it is tried again and again")
                    self._stopped.wait(PAUSE_S)
                continue
            if not self._work(source):
                break

    def _work(self, source: MqttFailover) -> bool:
        """Until the turn is lost; False if it ended otherwise."""
        self._agent = self._new_agent(source, Checkpoints(self._spool, self._by, source.store))
        if self._stopped.is_set():
            self._agent.stop()
        self._agent.run()
        self.source_errors = [error for error in self._agent.source_errors if not isinstance(error, TurnLostError)]
        return bool(self._agent.source_errors)

    def _take_over(self, payload: bytes | None) -> None:
        left = StreamCheckpoint("", [], [])
        if payload:
            try:
                left = unpack(payload, self._spool)
            except ConfigError as error:
                self._say(f"{error}; all streams begin anew")
        if left.by != self._by:
            self._spool.replace(left.streams, left.chunks)
        self._say(f"it is our turn; {len(left.streams)} streams go on")
