"""Processes that stand by for each other: one works, and when it ends another goes on where it was."""

from __future__ import annotations

import threading
from collections.abc import Callable

from dualres.errors import ConfigError
from dualres.stream.agent import Agent
from dualres.stream.checkpoint import Checkpoints, unpacked
from dualres.stream.sources.mqtt_in_turn import MqttInTurn
from dualres.stream.sources.turn import TurnLostError
from dualres.stream.spool import Spool, SpoolFullError, Stored, Stream

PAUSE_S = 1.0  # after a turn that was lost


class Standby:
    """Works whenever it is its turn, until it is stopped. What its spool held before a turn is not needed any more."""

    def __init__(
        self,
        source_of: Callable[[], MqttInTurn],
        spool: Spool,
        agent_of: Callable[[MqttInTurn, Checkpoints], Agent],
        say: Callable[[str], None],
    ) -> None:
        self._source_of, self._spool, self._agent_of, self._say = source_of, spool, agent_of, say
        self._stopped = threading.Event()
        self._agent: Agent | None = None
        self.failed: list[Exception] = []  # what ended it, other than a turn that was lost

    def stop(self) -> None:
        """From another thread or a signal's handler."""
        self._stopped.set()
        if self._agent:
            self._agent.stop()

    @property
    def undelivered(self) -> dict[str, int]:
        """Nothing that is kept here: whoever is next makes those verdicts again."""
        return {}

    def run(self) -> None:
        """Turn after turn, until it is stopped or nobody listens to a sink any more."""
        while not self._stopped.is_set() and not self.failed:
            source = self._source_of()
            try:
                left = source.claim(self._say, self._stopped)
                self._take_over(left)
            except (TurnLostError, SpoolFullError) as error:
                source.abandon()
                if not self._stopped.is_set():
                    self._say(f"{error}; it is tried again and again")
                    self._stopped.wait(PAUSE_S)
                continue
            if not self._worked(source):
                break

    def _worked(self, source: MqttInTurn) -> bool:
        """Until the turn is lost; False if it ended otherwise."""
        self._agent = self._agent_of(source, Checkpoints(self._spool, source.keep))
        if self._stopped.is_set():
            self._agent.stop()
        self._agent.run()
        self.failed = [error for error in self._agent.failed if not isinstance(error, TurnLostError)]
        return bool(self._agent.failed)

    def _take_over(self, left: bytes | None) -> None:
        streams: list[Stream] = []
        chunks: list[Stored] = []
        if left:
            try:
                streams, chunks = unpacked(left, self._spool)
            except ConfigError as error:
                self._say(f"{error}; all streams begin anew")
        self._spool.replace(streams, chunks)
        self._say(f"it is our turn; {len(streams)} streams go on")
