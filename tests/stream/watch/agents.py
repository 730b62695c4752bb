"""Agents of tests: sources that hand out a list of chunks, and sinks that remember."""

import json
import threading
import time

from dualres.stream import Monitor
from dualres.stream.monitor.chunk import Chunk, Form
from dualres.stream.watch.agent import Agent
from dualres.stream.watch.sinks.sink import NotDeliveredError, Sink
from dualres.stream.watch.sources.source import Source, SourceOptions
from dualres.stream.watch.spool import Spool

RATE = 12_800
FORM = Form.of(RATE)


class Listed(Source):
    """The chunks of a list, and then perhaps a wait until somebody stops it."""

    def __init__(self, chunks, name="list", *, stays=False, live=False, waits=True):
        super().__init__(name, SourceOptions(None))
        self.chunks, self.stays = list(chunks), stays
        self.live, self.waits = live, waits

    def run(self, put, say, stopped, known):
        self.known = known
        for chunk in self.chunks:
            put(chunk)
        if self.stays:
            stopped.wait()


class Remembering(Sink):
    def __init__(self, name="memory", fail=0, stop_after=None):
        super().__init__(name)
        self.records, self.fail, self.stop_after, self.enough = [], fail, stop_after, threading.Event()

    def send(self, records):
        if self.fail:
            self.fail -= 1
            raise NotDeliveredError("not today")
        self.records += records
        if self.stop_after is not None and len(self.records) >= self.stop_after:
            self.enough.set()

    @property
    def told(self):
        return [record.data for record in self.records]


def chunks_of(signal, size, stream="pump", **more):
    """Chunks that state their first sample, as the same run."""
    return [
        Chunk(stream, FORM, signal[at : at + size].astype("<f4").tobytes(), at, start="1", **more)
        for at in range(0, len(signal), size)
    ]


def end(stream="pump"):
    return Chunk(stream, FORM, start="1", first=0, last=True)


def run(model, chunks, path, sink=None, *, say=None, quota=1 << 30, source=None, **options):
    """Until the sources end; the sink, which knows the agent, as the sources do while they run."""
    sink, sources = sink or Remembering(), source if isinstance(source, list) else [source or Listed(chunks)]
    with Spool(path, quota) as spool:
        agent = Agent(model, sources, [sink], spool, say=say or (lambda text: None), **options)
        for one in (sink, *sources):
            one.agent = agent
        if sink.stop_after is not None:
            threading.Thread(target=lambda: (sink.enough.wait(), agent.stop()), daemon=True).start()
        agent.run()
    return sink


def expected(model, signal, rate=RATE, block_s=5.0, finish=True, **how):
    """What a monitor says of the whole signal, without what only an agent knows."""
    monitor = Monitor(model, rate, block_s=block_s, **how)
    events = monitor.push(signal) + (monitor.finish() if finish else [])
    return {(event.kind, event.number): essence(event.as_data()) for event in events}


def until(condition, seconds=20, about=lambda: ""):
    """Wait for the condition, looking often; `about` says what there is where it never comes."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, about()
        time.sleep(0.01)


def by_number(verdicts):
    """What must be the same of verdicts, by their kind and number."""
    return {(one["kind"], one["number"]): essence(one) for one in verdicts}


def essence(data):
    """Of a verdict: what must be the same, whoever finds it."""
    kept = ("kind", "number", "start", "stop", "label", "probabilities", "windows", "missing")
    return json.dumps({**{name: data[name] for name in kept}, "speed": data.get("speed")})
