import sqlite3
import time
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy.signal import lfilter

from dualres.judge.training_profile import TrainingProfile
from dualres.stream.alarm.alarm import Alarm
from dualres.stream.monitor.chunk import Chunk, Form
from dualres.stream.monitor.monitor import Monitor
from dualres.stream.watch import agent as agent_module
from dualres.stream.watch import monitors as monitors_module
from dualres.stream.watch.alarms import Alarms
from dualres.stream.watch.inbox import Intake
from dualres.stream.watch.spool import Spool
from tests.stream.conftest import noise
from tests.stream.watch.agents import FORM, RATE, Listed, Remembering, by_number, chunks_of, end, expected, run


@pytest.fixture
def path(tmp_path):
    return tmp_path / "spool.sqlite"


def test_it_says_what_a_monitor_says_of_the_whole_signal(views, path):
    signal = noise(3 * RATE)
    sink = run(views, [*chunks_of(signal, 1000), end()], path, block_s=1.0)
    assert by_number(sink.told) == expected(views, signal, block_s=1.0)
    first = sink.told[0]
    assert (first["id"], first["stream"], first["run"]) == ("pump/1/window/0", "pump", "1")
    assert first["probability"] == max(first["probabilities"].values())


@pytest.fixture(params=["views", "orders"])
def either(request):
    """A model that judges windows one by one, and one that finds a speed for each block."""
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("after", [1, 3, 6])
def test_it_goes_on_where_it_was(either, path, after):
    signal = noise(3 * RATE)
    chunks = chunks_of(signal, 700)
    first = run(either, [], path, Remembering(stop_after=after), source=Listed(chunks[:40], stays=True), block_s=1.0)
    source = Listed([*chunks[35:], end()])
    second = run(either, [], path, source=source, block_s=1.0)
    assert source.known["pump"].stop == 40 * 700
    assert by_number([*first.told, *second.told]) == expected(either, signal, block_s=1.0)
    ids = [one["id"] for one in [*first.told, *second.told]]
    assert len(ids) == len(set(ids)), "after an orderly stop nothing is told twice"


@pytest.mark.parametrize("lost", [[], [11, 17]])
def test_what_comes_back_from_a_copy_of_the_disk_is_the_same(either, path, monkeypatch, lost):
    """As after a kill: the spool at the moment of every commit leads to the same verdicts."""
    signal, copies = noise(2 * RATE), []
    chunks = [replace(one, side={"rpm": f"{1400 + i // 7}"}) for i, one in enumerate(chunks_of(signal, 900))]
    chunks = [*(one for i, one in enumerate(chunks) if i not in lost), end()]
    written = agent_module.Agent._write

    def copied(self, write):
        done = written(self, write)
        copy = path.with_name(f"copy{len(copies)}.sqlite")
        with sqlite3.connect(copy) as there:
            self._spool._database.backup(there)
        there.close()
        copies.append(copy)
        return done

    monkeypatch.setattr(agent_module.Agent, "_write", copied)
    monkeypatch.setattr(agent_module, "JUDGE_BYTES", 5000)
    whole = by_number(run(either, chunks, path).told)
    monkeypatch.undo()
    assert len(copies) > 5
    for copy in copies[:: len(copies) // 5]:
        again = by_number(run(either, chunks, copy).told)
        assert again.items() <= whole.items()
        assert list(again) == list(whole)[-len(again) :] if again else True


def test_a_chunk_is_acknowledged_when_it_is_committed(views, path):
    seen = []

    def look():
        copy = sqlite3.connect(":memory:")
        source.agent._spool._database.backup(copy)
        seen.append(copy.execute("SELECT count(*) FROM chunks").fetchone()[0])
        copy.close()

    source = Listed([replace(chunks_of(noise(100), 100)[0], acknowledge=look)])
    run(views, [], path, source=source)
    assert seen == [1]


def test_streams_of_many_sources_are_judged_in_one_call(views, path, monkeypatch):
    calls, together = [], monitors_module.score_together
    monkeypatch.setattr(monitors_module, "score_together", lambda some: calls.append(len(some)) or together(some))
    signals = {f"pump {i}": noise(RATE, i) for i in range(5)}
    chunks = [chunk for name, signal in signals.items() for chunk in [*chunks_of(signal, RATE, name), end(name)]]
    told = run(views, chunks, path).told
    assert max(calls) == 5
    for name, signal in signals.items():
        assert by_number([one for one in told if one["stream"] == name]) == expected(views, signal)


def test_a_gap_is_told_and_no_window_spans_it(views, path):
    signal = noise(3 * RATE)
    chunks = chunks_of(signal, 1000)
    told = run(views, [*chunks[:15], *chunks[19:], end()], path).told
    windows = [one for one in told if one["kind"] == "window"]
    assert [one["missing"] for one in windows if one["missing"]] == [4000]
    assert not [one for one in windows if one["start"] < 15_000 < one["stop"]]
    assert next(one for one in windows if one["missing"])["start"] == 19_000


def test_what_a_live_source_sent_meanwhile_is_counted_by_the_clock(views, path, monkeypatch):
    signal = noise(RATE)
    chunk = Chunk("pump", FORM, signal.astype("<f4").tobytes())
    run(views, [], path, Remembering(stop_after=1), source=Listed([chunk], stays=True, live=True))
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 10)
    told = run(views, [], path, Remembering(stop_after=1), source=Listed([chunk], stays=True, live=True)).told
    assert 8 * RATE < told[0]["missing"] < 12 * RATE


@pytest.mark.parametrize("rate", [RATE, 64_000])
def test_the_clock_also_counts_behind_samples_that_were_no_use(views, path, rate):
    form = Form.of(rate)
    good, bad = (Chunk("pump", form, one.astype("<f4").tobytes()) for one in (noise(rate), np.full(rate, np.nan)))
    run(views, [], path, Remembering(stop_after=1), source=Listed([good, bad], live=True))
    told = run(views, [], path, Remembering(stop_after=1), source=Listed([good], stays=True, live=True)).told
    assert rate <= told[0]["missing"] < 30 * rate


def test_sinks_are_tried_again_and_get_everything_in_order(views, path, monkeypatch):
    monkeypatch.setattr("dualres.stream.watch.delivery.FIRST_PAUSE_S", 0.01)
    said = []
    sink = run(views, [*chunks_of(noise(2 * RATE), 1000), end()], path, Remembering(fail=2), say=said.append)
    assert by_number(sink.told) == expected(views, noise(2 * RATE))
    assert [one for one in said if "not today" in one]
    assert [one for one in said if "delivers again" in one]


class Stuck(Remembering):
    """Takes three verdicts, and no fourth one."""

    at_once = 1

    def send(self, records):
        self.fail = len(self.records) == 3
        super().send(records)


def test_what_a_sink_has_is_committed_while_the_next_verdict_fails(views, path, monkeypatch):
    committed = []
    record_deliveries = Spool.record_deliveries

    def listened(self, positions):
        record_deliveries(self, positions)
        committed.append(positions["memory"])
        if committed[-1] == 3:
            sink.enough.set()

    monkeypatch.setattr(Spool, "record_deliveries", listened)
    monkeypatch.setattr(agent_module, "LAST_DELIVERY_S", 0.1)
    sink = Stuck(stop_after=1000)
    run(views, [], path, sink, source=Listed(chunks_of(noise(3 * RATE), 1000), stays=True))
    assert committed[-1] == 3
    with Spool(path) as spool:
        assert spool.register_sinks(["memory"])[0] == {"memory": 3}


def test_verdicts_wait_for_a_sink_until_the_next_start(views, path, monkeypatch):
    monkeypatch.setattr(agent_module, "LAST_DELIVERY_S", 0.1)
    lost = run(views, [*chunks_of(noise(RATE), 1000), end()], path, Remembering(fail=1000))
    assert lost.told == []
    found = run(views, [], path)
    assert by_number(found.told) == expected(views, noise(RATE))


def test_the_quota_stops_acknowledging_and_says_so(views, path, monkeypatch):
    monkeypatch.setattr(agent_module, "LAST_DELIVERY_S", 0.1)
    acknowledged, said, spool_bytes, signal = [], [], [], noise(4 * RATE)
    chunks = [
        replace(one, acknowledge=lambda i=i: acknowledged.append(i)) for i, one in enumerate(chunks_of(signal, 1000))
    ]

    class Slowly(Listed):
        def run(self, put, say, stopped, known):
            for chunk in self.chunks:
                put(chunk)
                stopped.wait(0.02)
            self.agent.stop()

    options = {"quota": 65_000, "say": said.append, "report": lambda status: spool_bytes.append(status.spool_bytes)}
    run(views, [], path, Remembering(fail=10_000), source=Slowly(chunks), **options)
    assert 0 < spool_bytes[-1] < 80_000
    assert 0 < len(acknowledged) < len(chunks)
    assert [one for one in said if "quota of 65,000 bytes" in one]
    missing = chunks[len(acknowledged) :]
    found = run(views, [*missing, end()], path)
    assert by_number(found.told) == expected(views, signal), "what was not acknowledged was sent again"


def test_a_quota_below_what_windows_need_is_exceeded(views, path):
    sink = run(views, [*chunks_of(noise(2 * RATE), 1000), end()], path, quota=1000)
    assert by_number(sink.told) == expected(views, noise(2 * RATE))


def test_a_quota_that_was_reached_is_no_end(views, path, monkeypatch):
    monkeypatch.setattr("dualres.stream.watch.delivery.FIRST_PAUSE_S", 0.05)
    said, signal = [], noise(8 * RATE)
    chunks = [*chunks_of(signal, 1000), end()]
    sink = run(views, chunks, path, Remembering(fail=3), say=said.append, quota=65_000)
    assert by_number(sink.told) == expected(views, signal)
    assert [one for one in said if "has reached its quota" in one]
    assert path.stat().st_size < 400_000, "all 100 chunks at once would take more"


def test_what_there_is_no_room_for_is_missing_counted_and_told(views, path, monkeypatch):
    monkeypatch.setattr(agent_module, "Intake", partial(Intake, room=50_000))
    signal, said = noise(8 * RATE), []
    chunks = [Chunk("pump", FORM, signal[at : at + 1000].tobytes()) for at in range(0, len(signal), 1000)]

    class Hurried(Listed):
        """A sensor that does not wait, but pauses in the end."""

        def run(self, put, say, stopped, known):
            for chunk in self.chunks[:-20]:
                put(chunk)
            for chunk in self.chunks[-20:]:
                while not self.agent._intake.empty:
                    stopped.wait(0.005)
                put(chunk)

    sink = run(views, [], path, source=Hurried(chunks, waits=False), say=said.append)
    lost = sink.agent.lost_samples
    assert sum(one["missing"] for one in sink.told if one["kind"] == "window") == lost > 0
    assert [one for one in said if "cannot wait" in one]
    assert said[-1] == f"{lost:,} samples were lost, and no more are"


@pytest.mark.parametrize("waits", [True, False])
def test_where_a_source_cannot_wait_no_more_is_taken_in_while_verdicts_are_too_late(views, path, monkeypatch, waits):
    """What is there is judged first; a source that can wait is only held back by the quota."""
    monkeypatch.setattr(agent_module, "JUDGE_BYTES", 1)
    monkeypatch.setattr(agent_module, "COMMIT_BYTES", 20_000)  # some five chunks
    signal, behind, append = noise(4 * RATE), [], Spool.append

    def watched(spool, *arguments):
        behind.append(source.agent._status.behind_s)
        append(spool, *arguments)

    monkeypatch.setattr(Spool, "append", watched)
    long_ago = [replace(one, at=time.time() - 40) for one in [*chunks_of(signal, 1000), end()]]
    source = Listed(long_ago, waits=waits)
    sink = run(views, [], path, source=source, most_behind_s=30.0)
    assert by_number(sink.told) == expected(views, signal), "nothing is lost that there was room for"
    assert (max(behind) > 30.0) == waits


def test_no_more_waits_than_can_be_judged_in_time(views, path, monkeypatch):
    """Far more comes than can be judged, from a source that cannot wait: verdicts are late, but not later and later."""
    monkeypatch.setattr(agent_module, "JUDGE_BYTES", 8000)  # two chunks, so that rounds are short
    monkeypatch.setattr(agent_module, "Intake", partial(Intake, room=40_000))
    judge, signal, expecting = monitors_module.Monitors.judge, noise(60 * RATE), []

    def slowly(monitors, chunks):
        time.sleep(0.02)
        expecting.append(source.agent._pace._waiting)
        return judge(monitors, chunks)

    class Hurried(Listed):
        def run(self, put, say, stopped, known):
            for chunk in self.chunks:
                put(chunk)
                stopped.wait(0.001)

    monkeypatch.setattr(monitors_module.Monitors, "judge", slowly)
    chunks = [Chunk("pump", FORM, signal[at : at + 1000].tobytes()) for at in range(0, len(signal), 1000)]
    source = Hurried(chunks, waits=False)
    sink = run(views, [], path, source=source, most_behind_s=0.4)
    lost = sink.agent.lost_samples
    assert lost > 0
    assert sum(one["missing"] for one in sink.told if one["kind"] == "window") <= lost
    assert max(expecting) < 250_000, "bytes: of what came within 0.4 s there was room for some 400,000"


def test_a_verdict_says_when_its_samples_came(views, path):
    long_ago = [replace(one, at=1e9 + i) for i, one in enumerate([*chunks_of(noise(RATE), RATE // 2), end()])]
    told = run(views, long_ago, path).told
    assert {one["received"] for one in told} <= {1e9 + 1, 1e9 + 2}
    assert told[0]["time"].startswith("2001-09-09T01:46:41")


def test_few_windows_wait_for_a_score_at_a_time(views, path, monkeypatch):
    waiting, together = [], monitors_module.score_together

    def counted(monitors):
        waiting.append(sum(one.waiting for one in monitors))
        return together(monitors)

    monkeypatch.setattr(monitors_module, "score_together", counted)
    signals = {f"pump {i}": noise(10 * RATE, i) for i in range(3)}
    told = run(views, [c for name, s in signals.items() for c in [*chunks_of(s, 20_000, name), end(name)]], path).told
    for name, signal in signals.items():
        assert by_number([one for one in told if one["stream"] == name]) == expected(views, signal)
    assert max(waiting) <= monitors_module.SCORE_WINDOWS + 1, "a piece may complete one more than it has steps"


def test_a_run_that_is_over_takes_no_memory_and_is_still_known(views, path):
    whole = Chunk("pump", FORM, noise(RATE).astype("<f4").tobytes(), 0, start="1", last=True)
    sink = run(views, [whole, whole], path)
    assert not sink.agent._streams.by_id
    assert not sink.agent._monitors
    assert len(sink.told) == len(expected(views, noise(RATE)))
    assert run(views, [whole], path).told == [], "nor after a restart"


def test_a_stream_that_says_nothing_does_not_fill_the_spool(views, path):
    """A dead sensor: its samples are missing, and are not kept for a verdict that never comes."""
    dead = chunks_of(np.full(40 * RATE, np.nan), RATE)
    run(views, dead, path)
    with Spool(path) as spool:
        assert len(list(spool.chunks())) <= 2
    alive = noise(2 * RATE)
    later = chunks_of(np.concatenate([np.full(40 * RATE, np.nan), alive]), RATE)[40:]
    told = run(views, [*later, end()], path).told
    assert told[0]["missing"] == 40 * RATE


def test_after_an_interrupted_round_nothing_more_is_taken_in(views, path, monkeypatch):
    signal = noise(4 * RATE)
    judge, calls = monitors_module.Monitors.judge, []

    def interrupted(monitors, chunks):
        found = judge(monitors, chunks)
        calls.append(chunks)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return found

    sink = Remembering()
    with monkeypatch.context() as patched:
        patched.setattr(monitors_module.Monitors, "judge", interrupted)
        patched.setattr(agent_module, "JUDGE_BYTES", 20_000)
        with pytest.raises(KeyboardInterrupt):
            run(views, [], path, sink, source=Listed(chunks_of(signal, 5000), stays=True))
    told = sink.told + run(views, [*chunks_of(signal, 5000), end()], path).told
    assert by_number(told) == expected(views, signal)


def test_a_full_disk_is_waited_for(views, path, monkeypatch):
    monkeypatch.setattr(agent_module, "PAUSE_S", 0.05)
    said, sink, signal = [], Remembering(), noise(3 * RATE)
    with Spool(path) as spool:

        def say(text):
            said.append(text)
            if "waits for room" in text:
                spool._database.execute("PRAGMA max_page_count = 1000000")

        spool._database.execute("PRAGMA max_page_count = 20")
        source = Listed([*chunks_of(signal, 1000), end()])
        agent_module.Agent(views, [source], [sink], spool, say=say).run()
    assert by_number(sink.told) == expected(views, signal)
    assert [one for one in said if "waits for room" in one]
    assert [one for one in said if "room again" in one]


def test_conditions_come_with_the_samples(views, path):
    signal = noise(3 * RATE)
    chunks = [replace(one, side={"load": str(i)}) for i, one in enumerate(chunks_of(signal, RATE))]
    told = run(views, [*chunks, end()], path, condition={"speed": "1500", "load": "?"}).told
    for one in told:
        assert one["condition"] == {"speed": "1500", "load": str((one["stop"] - 1) // RATE)}


def test_the_speed_comes_beside_the_samples(views, path, monkeypatch):
    told = []
    monkeypatch.setattr(Monitor, "tell_speed", lambda _, speed, first: told.append((first, speed.mean_hz)))
    sides = [{}, {"rpm": "600"}, {"speed": "20Hz"}, {"speed": "fast"}]
    chunks = [replace(one, side=side) for one, side in zip(chunks_of(noise(4 * RATE), RATE), sides, strict=True)]
    run(views, [*chunks, end()], path, condition={"speed": "1500"})
    assert sorted(told) == [(0, 25.0), (RATE, 10.0), (2 * RATE, 20.0), (3 * RATE, 25.0)]


def test_a_stop_ends_streams_that_nobody_will_go_on_with(views, path):
    source = Listed(chunks_of(noise(2 * RATE), 1000), stays=True)
    sink = run(views, [], path, Remembering(stop_after=1), source=source, lasting=False)
    assert by_number(sink.told) == expected(views, noise(2 * RATE))


def test_a_stream_at_a_low_rate_holds_up_no_other(views, path):
    """Minutes of one, in a small message, beside two seconds of another that came after it."""
    signal, slow = noise(2 * RATE), Form.of(100)
    minutes = Chunk("slow", slow, noise(40_000).astype("<f4").tobytes(), 0, start="1")
    sink = run(views, [minutes, *chunks_of(signal, 1000), end()], path, block_s=1.0)
    order = [one["stream"] for one in sink.told]
    assert by_number(one for one in sink.told if one["stream"] == "pump") == expected(views, signal, block_s=1.0)
    ended = len(order) - order[::-1].index("pump")
    assert ended < 300, "of some 2,000 of the other one"


def test_a_rate_far_from_those_learned_costs_that_stream_alone(views, path):
    profile = TrainingProfile(rates=(Fraction(RATE),))
    model, said, signal = replace(views, card=replace(views.card, learned_from=profile.as_data())), [], noise(2 * RATE)
    slow = [Chunk("slow", Form.of("12.8"), noise(1000).tobytes(), 0, start="1")] * 3
    sink = run(model, [*slow, *chunks_of(signal, 1000), end()], path, say=said.append, block_s=1.0)
    assert by_number(sink.told) == expected(views, signal, block_s=1.0)
    assert len([text for text in said if text.startswith("slow: left out  12.8 Hz, and the model learned")]) == 1


def test_who_sends_too_much_is_late_alone(views, path, monkeypatch):
    """Of two senders that cannot wait, one sends far more than can be judged."""
    monkeypatch.setattr(agent_module, "JUDGE_BYTES", 40_000)
    judge, signal, much = monitors_module.Monitors.judge, noise(3 * RATE), noise(200 * RATE)

    def slowly(monitors, chunks):
        time.sleep(0.02)
        return judge(monitors, chunks)

    class Hog(Listed):
        def run(self, put, say, stopped, known):
            for at in range(0, len(much), 8000):
                put(Chunk("hog", FORM, much[at : at + 8000].tobytes()))
                stopped.wait(0.001)

    class Good(Listed):
        def run(self, put, say, stopped, known):
            while not self.agent.lost_samples:
                stopped.wait(0.001)
            for chunk in self.chunks:
                put(chunk)
                stopped.wait(0.005)

    monkeypatch.setattr(monitors_module.Monitors, "judge", slowly)
    good = Good([*chunks_of(signal, 1000), end()], "good", waits=False)
    sink = run(views, [], path, source=[Hog([], "hog", waits=False), good], most_behind_s=0.4, block_s=1.0)
    assert sink.agent.lost_samples > 0
    assert by_number(one for one in sink.told if one["stream"] == "pump") == expected(views, signal, block_s=1.0)


@pytest.mark.parametrize("waits", [True, False])
def test_a_clock_that_jumps_costs_nothing(views, path, waits):
    """By a day, back and forth, also to before the beginning of its count."""
    signal, jumps = noise(3 * RATE), (0.0, 86_400.0, -86_400.0, 1.0 - time.time())
    chunks = [replace(one, at=time.time() + jumps[i % 4]) for i, one in enumerate(chunks_of(signal, 1000))]
    sink = run(views, [*chunks, end()], path, source=Listed([*chunks, end()], waits=waits), block_s=1.0)
    assert by_number(sink.told) == expected(views, signal, block_s=1.0)
    assert not any(one["missing"] for one in sink.told)


def test_what_no_monitor_takes_is_left_out_and_told(views, path):
    said = []
    chunks = [Chunk("odd", Form.of("12345.6789"), bytes(40)), *chunks_of(noise(RATE), 1000), end()]
    sink = run(views, chunks, path, say=said.append)
    assert by_number(sink.told) == expected(views, noise(RATE))
    assert [one for one in said if one.startswith("odd: left out") and "simple ratio" in one]


@pytest.mark.parametrize("error", [OSError("unplugged"), AttributeError("no such call on this system")])
def test_a_source_that_fails_is_told_and_costs_no_other(views, path, error):
    class Failing(Listed):
        def run(self, put, say, stopped, known):
            raise error

    said, good = [], Listed([*chunks_of(noise(RATE), 1000), end()])
    sink = run(views, [], path, source=[Failing([], "bad"), good], say=said.append)
    assert by_number(sink.told) == expected(views, noise(RATE))
    assert sink.agent.source_errors == [error]
    assert [one for one in said if one.startswith("bad: not watched any more") and str(error) in one]


def test_too_short_a_stream_is_told(views, path):
    said = []
    run(views, [*chunks_of(noise(1000), 1000), end()], path, say=said.append)
    assert [one for one in said if one.startswith("pump: not judged") and "0.512 s" in one]


def test_a_stream_of_which_nothing_can_be_said_is_told_once(views, path):
    said, signal = [], noise(30 * RATE)
    signal[::1000] = np.nan
    run(views, chunks_of(signal, 4000), path, say=said.append)
    assert len(said) == 1
    assert said[0].startswith("pump: no window of it was whole for 10 s; ")
    assert said[0].endswith("Are they f32?")
    said.clear()
    run(views, chunks_of(noise(30 * RATE), 4000), path.with_name("other"), say=said.append)
    assert said == []


def test_axes_are_judged_together(two_axes, path):
    both = np.stack([noise(2 * RATE, 1), noise(2 * RATE, 2)], axis=1)
    chunk = Chunk("pump", Form.of(RATE, channels=2), both.astype("<f4").tobytes(), last=True)
    assert by_number(run(two_axes, [chunk], path).told) == expected(two_axes, both)


def alarms():
    """That are raised by whatever the model of noise calls anything but good."""
    healthy = np.random.default_rng(0).uniform(0, 1e-6, 500).tolist()
    return Alarms(Alarm.learned(healthy, blocks_between_false_alarms=100), ["good"])


def test_blocks_tell_of_an_alarm_that_goes_on_after_a_restart(views, path, tmp_path):
    signal = noise(12 * RATE)
    chunks = chunks_of(signal, 2000)
    options = {"block_s": 0.5, "kinds": ("block",)}
    whole = run(views, [*chunks, end()], tmp_path / "other.sqlite", alarms=alarms(), **options).told
    assert {one["kind"] for one in whole} == {"block"}, "no other kind was asked for"
    assert not whole[0]["alarm"]["raised"]
    assert whole[-1]["alarm"]["raised"]
    source = Listed(chunks[:40], stays=True)
    first = run(views, [], path, Remembering(stop_after=3), source=source, alarms=alarms(), **options).told
    second = run(views, [*chunks[40:], end()], path, alarms=alarms(), **options).told
    assert [one["alarm"] for one in [*first, *second]] == [one["alarm"] for one in whole]
    again = [replace(one, start="2") for one in chunks_of(noise(RATE), 2000)]
    again.append(replace(end(), start="2"))
    (after, *_) = run(views, again, path, alarms=alarms(), **options).told
    assert after["alarm"]["raised"], "a sensor that starts anew does not heal the machine"
    assert after["alarm"]["since"] == whole[-1]["alarm"]["since"]


def test_an_alarm_bets_on_whole_blocks_alone(views, path):
    said = []
    options = {"block_s": 2.0, "kinds": ("block",), "say": said.append}
    *_, whole, rest = run(views, [*chunks_of(noise(5 * RATE), 2000), end()], path, alarms=alarms(), **options).told
    assert rest["windows"] < whole["windows"]
    assert rest["alarm"] == whole["alarm"]
    assert said == []
    short = [replace(one, start=n) for n in "23" for one in [*chunks_of(noise(RATE), 2000), end()]]
    for one in run(views, short, path, alarms=alarms(), **options).told:
        assert one["alarm"] == whole["alarm"]
    assert len(said) == 1
    assert "give a shorter --block" in said[0]


class OfOneMachine(Listed):
    def machine_of(self, stream):
        return "pump"


def test_recordings_of_one_machine_have_an_alarm_in_common(views, path, tmp_path):
    def recordings(numbers):
        named = [(f"{n}.wav", chunk) for n in numbers for chunk in [*chunks_of(noise(RATE, n), 2000), end()]]
        return OfOneMachine([replace(chunk, stream=name) for name, chunk in named])

    options = {"block_s": 0.5, "kinds": ("block",)}
    each = run(views, [], tmp_path / "each.sqlite", source=recordings([1]), alarms=alarms(), **options).told
    assert not any(one["alarm"]["raised"] for one in each), "one recording alone is too short"
    states = run(views, [], path, source=recordings(range(1, 5)), alarms=alarms(), **options).told
    states += run(views, [], path, source=recordings(range(5, 9)), alarms=alarms(), **options).told
    assert states[-1]["alarm"]["raised"]
    assert states[-1]["alarm"]["since"] >= len(each), "blocks are counted on from recording to recording"


def test_pieces_too_short_for_a_bet_are_told(views, path):
    rng = np.random.default_rng(0)
    alike = lfilter([1], [1, -0.9], rng.standard_normal(20_000)).tolist()
    learned = Alarms(Alarm.learned(alike, blocks_between_false_alarms=1000), ["good"])
    assert learned.template.least_in_a_row > 1
    said, options = [], {"block_s": 2.0, "kinds": ("block",)}
    one_block = chunks_of(noise(3 * RATE), 2000)
    pieces = [replace(chunk, start=str(n)) for n in range(6) for chunk in [*one_block, end()]]
    run(views, pieces, path, alarms=learned, say=said.append, **options)
    assert [text for text in said if "no alarm can be raised" in text] == [said[-1]]
