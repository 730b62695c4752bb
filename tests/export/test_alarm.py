"""Alarms in exported C against those of Python."""

import ctypes
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from dualres.errors import ExportError
from dualres.export.alarm import DeviceAlarm, check_scores, check_states, sizes, table_bytes, tables_of
from dualres.export.c99 import costs, write_c99
from dualres.judge.trust.novelty import look_at
from dualres.recordings.recording import Recording
from dualres.stream import Monitor
from dualres.stream.alarm import Alarm
from dualres.stream.alarm.alarm import fault_score
from dualres.stream.alarm.payoffs import cells
from dualres.stream.monitor.block import windows_in
from tests.attacks.stress_scripts import script
from tests.export.conftest import machine, made_views_model, shared_library
from tests.export.test_device import RIGHT, altered, make_for_cortex_m, needs
from tests.export.test_novelty import CLASSES, calibrated
from tests.variants import also

RATE, BLOCK_S, YEAR = 12_800, 1.0, 6_311_520.0
exported_alarms, alarm_costs = script("exported_alarms"), script("alarm_costs")


def learned(blocks=300, between=500.0, seed=3, loads=1, scale=1.0):
    rng = np.random.default_rng(seed)
    scores = [(scale * rng.beta(2, 30 - 5 * load, blocks)).tolist() for load in range(loads)]
    return Alarm.learned(scores, blocks_between_false_alarms=between)


def on_device(alarm, healthy="good"):
    return DeviceAlarm(alarm, "1 per 500 blocks", healthy, BLOCK_S)


@pytest.fixture(scope="module")
def devices(compiler, tmp_path_factory):
    return exported_alarms.AlarmDevices(exported_alarms.TARGETS[0], tmp_path_factory.mktemp("alarms"))


@pytest.mark.parametrize("numbers", [range(3), *also((range(3, 22),))])
def test_alarms_are_raised_and_cleared_at_the_same_blocks(devices, numbers):
    changes = []
    for number in numbers:
        stream = exported_alarms.stream_of(number)
        if stream is None:
            continue
        states = exported_alarms.in_python(stream)
        wrong, off = exported_alarms.compared(stream, states, devices.said(stream))
        assert wrong == [], (number, stream.kind)
        assert off < 1e-6
        changes.append(sum(now.raised != before.raised for before, now in pairwise(states)))
    assert sum(changes) >= 2 * len(changes) > 0


def test_a_device_that_says_something_else_is_noticed(devices):
    stream = exported_alarms.stream_of(0)
    states, said = exported_alarms.in_python(stream), devices.said(stream)
    raised = next(number for number, words in enumerate(said) if words[0] == "raised")
    later = [*said[:raised], ["raised", str(int(said[raised][1]) + 1), "0"], *said[raised + 1 :]]
    for other in (later, [*said[:raised], *said[raised + 1 :]]):
        assert exported_alarms.compared(stream, states, other)[0]
    looked = next(number for number, words in enumerate(said) if words[0] == "evidence")
    more = [*said[:looked], ["evidence", said[looked][1], "99.0"], *said[looked + 1 :]]
    assert "evidence is off by" in exported_alarms.compared(stream, states, more)[0][0]


def test_stretches_of_as_many_blocks_share_a_table_and_others_do_not():
    rng = np.random.default_rng(4)

    def bytes_of(*lengths):
        scores = [rng.normal(load, 1, blocks).tolist() for load, blocks in enumerate(lengths)]
        alarm = on_device(Alarm.learned(scores, blocks_between_false_alarms=YEAR))
        return len(tables_of(alarm.e_values)), table_bytes(alarm)

    assert bytes_of(400) == bytes_of(400, 400, 400)
    one, several = bytes_of(400), bytes_of(400, 450)
    assert (one[0], several[0]) == (1, 2)
    assert several[1] > 1.8 * one[1]


@pytest.mark.parametrize("loads", [1, 3])
def test_a_table_holds_what_python_compares_with(loads):
    e_values = learned(loads=loads).e_values
    (table,) = tables_of(e_values)
    for kept, name, sign in ((table.edges, "edges", 1), (table.levels, "levels", -1)):
        highest = np.max([getattr(one, name) for one in e_values.stretches], axis=0)
        beyond = sign * (kept.start + kept.step * kept.steps.astype(float) - highest)
        assert (beyond > 0).all(), "what is equal stays equal"
        assert beyond.max() < 1e-8 * np.ptp(highest)
    assert len(table.edges.steps) == len(cells(table.of.count)) - 1 + len(table.of.beyond)


def test_values_that_never_change_have_a_table_too():
    alarm = Alarm.learned([0.5] * 300, blocks_between_false_alarms=500.0)
    if alarm.e_values:
        (table,) = tables_of(alarm.e_values)
        assert np.isfinite([table.edges.start, table.edges.step]).all()


def test_the_check_has_an_alarm_that_is_raised_and_cleared():
    for alarm in (learned(), learned(scale=30.0), learned(6000, YEAR)):
        device = on_device(alarm)
        raised = [state.raised for state in check_states(device, check_scores(device))]
        assert (raised[0], max(raised), raised[-1]) == (False, True, False)


def test_what_the_header_states(devices):
    alarm = on_device(learned(between=2000.0))
    said = sizes(alarm, devices.model, Fraction(RATE))
    windows = windows_in(BLOCK_S, devices.model.card.config)
    for line in (
        '#define DUALRES_ALARM "1 per 500 blocks"',
        "#define DUALRES_ALARM_BETWEEN 2000.0",
        '#define DUALRES_ALARM_PROMISE "at most one false alarm in 2,000 healthy blocks',
        f"#define DUALRES_BLOCK_WINDOWS {windows} ",
        f"#define DUALRES_BLOCK_FRAMES {RATE} ",
        "#define DUALRES_HEALTHY 0 ",
    ):
        assert line in said
    other = sizes(on_device(learned(seed=9, between=2000.0)), devices.model, Fraction(RATE))
    assert said.split("ALARM_ID")[1].split()[0] != other.split("ALARM_ID")[1].split()[0]


def test_no_promise_no_alarm(model, tmp_path):
    with pytest.raises(ExportError, match="10 healthy blocks are too few"):
        write_c99(model, tmp_path / "board", RATE, alarm=on_device(learned(10), model.classes[0]))
    assert not list(tmp_path.iterdir())


class Alarmed(ctypes.Structure):
    """dualres_alarm, as far as tests look."""

    _fields_ = (
        *((name, ctypes.c_uint32) for name in ("of", "blocks", "since", "raised", "acknowledged", "waited")),
        *((name, ctypes.c_uint32) for name in ("has_neighbour", "windows", "in_block", "missing")),
        ("score", ctypes.c_double),
        ("rest", ctypes.c_char * 2000),
    )


class Board:
    """An export with an alarm, called from here."""

    def __init__(self, folder):
        self.library, self.state, self.alarm = shared_library(folder), ctypes.create_string_buffer(400_000), Alarmed()
        self.library.dualres_alarm_evidence.restype = ctypes.c_double
        self.begin()

    def begin(self):
        self.library.dualres_init(self.state)
        self.library.dualres_alarm_init(ctypes.byref(self.alarm))

    def push(self, samples):
        samples = np.ascontiguousarray(samples, np.float32)
        given = samples.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(len(samples))
        return self.library.dualres_alarm_push(ctypes.byref(self.alarm), self.state, *given)

    def miss(self, frames):
        return self.library.dualres_alarm_push(ctypes.byref(self.alarm), self.state, None, ctypes.c_size_t(frames))

    def block(self, score, follows=True):
        return self.library.dualres_alarm_block(ctypes.byref(self.alarm), ctypes.c_double(score), int(follows))

    @property
    def evidence(self):
        return self.library.dualres_alarm_evidence(ctypes.byref(self.alarm))


@pytest.fixture(scope="module")
def known():
    """A model that knows what is unlike all that was labelled, and an alarm of it."""
    plain = made_views_model(CLASSES)
    model = calibrated(plain, look_at(plain, Recording.from_array(machine(1.6, RATE, seed=5), RATE)))
    return model, on_device(learned(scale=1.5))


@pytest.fixture(scope="module")
def exported(known, compiler, tmp_path_factory):
    """Checked as users' exports are, which takes a while."""
    model, alarm = known
    return write_c99(model, tmp_path_factory.mktemp("alarmed") / "board", RATE, alarm=alarm)


@pytest.fixture(scope="module")
def board(known, compiler, tmp_path_factory):
    model, alarm = known
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", "no-such-compiler")
        to = tmp_path_factory.mktemp("alarmed") / "board"
        return Board(write_c99(model, to, RATE, alarm=alarm, unchecked=True).folder)


def pieces():
    """Vibration, and frames that are missing: fewer than a block has, more, and none that anybody knows of."""
    parts = [machine(seconds, RATE, seed) for seed, seconds in enumerate((3.7, 2.9, 3.2, 2.6))]
    parts[1] *= 30.0  # another level than labelled
    parts[2][9000] = np.nan
    return [parts[0], 700, parts[1], 2 * RATE, parts[2], 3, parts[3]]


def test_blocks_and_their_scores_are_those_of_the_monitor(known, board):
    model, device = known
    monitor, alarm, scores = Monitor(model, RATE, block_s=BLOCK_S), device.learned.another(), []
    board.begin()
    for part in pieces():
        chunks = [part] if isinstance(part, int) else np.array_split(part, 7)
        for chunk in chunks:
            events = monitor.gap(chunk) if isinstance(chunk, int) else monitor.push(chunk)
            board.miss(chunk) if isinstance(chunk, int) else board.push(chunk)
            for event in (one for one in events if one.kind == "block"):
                scores.append(fault_score(event, ["good"]))
                follows = event.number > 0 and event.missing < BLOCK_S * RATE
                state = alarm.update(scores[-1], follows=follows)
                assert board.alarm.score == pytest.approx(scores[-1], abs=1e-4)
        assert board.alarm.blocks == len(scores)
        assert bool(board.alarm.raised) == alarm.state.raised
    assert len(scores) >= 9
    assert max(scores) > 1 > min(scores), "some are of none of the classes, others are not"
    assert board.evidence == pytest.approx(state.evidence, abs=0.05)


def test_a_gap_of_unknown_length_leaves_no_neighbour(board):
    board.begin()
    board.push(machine(2.6, RATE, 1))
    for gap, bets in ((0, False), (50, True)):
        before, blocks = board.evidence, board.alarm.blocks
        board.miss(gap)
        while board.alarm.blocks == blocks:
            board.push(machine(0.3, RATE, 2))
        assert (board.evidence != before) == bets


def test_a_stream_that_began_anew_has_no_neighbour_and_the_evidence_stays(board):
    board.begin()
    for score in [0.06] * 20 + [0.5] * 5:
        board.block(score)
    evidence = board.evidence
    assert evidence > 1
    kept = bytes(board.alarm)
    board.alarm = Alarmed.from_buffer_copy(kept)  # the power has failed
    board.library.dualres_init(board.state)
    board.push(machine(1.4, RATE, 3))
    assert board.alarm.blocks == 26
    assert board.evidence == evidence


def test_what_was_kept_of_another_export_or_of_none_begins_anew(board):
    for blank in (b"\xff", b"\0"):
        board.alarm = Alarmed.from_buffer_copy(blank * ctypes.sizeof(Alarmed))
        board.block(0.5)
        assert (board.alarm.blocks, board.alarm.raised) == (1, 0)
        assert board.evidence == 0.0


def test_a_score_that_is_no_number_is_no_block(board, known):
    python = known[1].learned.another()
    board.begin()
    for score, follows in ((0.05, True), (0.3, True), (float("nan"), True), (0.6, False), (0.6, True)):
        board.block(score, follows=True)
        if np.isfinite(score):
            python.update(score, follows=follows)
    assert board.alarm.blocks == 4
    assert board.evidence == pytest.approx(python.state.evidence, abs=1e-6)


def test_somebody_has_seen_it_until_it_is_cleared(board):
    board.begin()
    while not board.alarm.raised:
        board.block(0.9)
    assert board.alarm.since == board.alarm.blocks - 1
    board.alarm.acknowledged = 1
    assert board.block(0.9)
    assert board.alarm.acknowledged
    while board.alarm.raised:
        board.block(0.001)
    assert not board.alarm.acknowledged


@pytest.mark.exhaustive
def test_the_check_compares_alarms_and_notices_other_constants(exported, tmp_path):
    assert any(line.startswith("alarm: 240 blocks, raised or cleared 2 times") for line in exported.checks[0].lines)
    assert any("bytes of flash, for alarms" in line for line in costs(exported))

    def other_weights(text):
        return text.replace("dualres_alarm_bets = {\n    {0x1", "dualres_alarm_bets = {\n    {0x7", 1)

    assert "alarm: 240 blocks" in altered(exported.folder, tmp_path, "dualres_model.c", other_weights)


@pytest.mark.device
def test_the_check_on_a_cortex_m(exported):
    said = make_for_cortex_m(exported.folder)
    assert RIGHT in said
    assert any(line.startswith("alarm: ") for line in said)


@pytest.mark.device
def test_it_takes_less_than_6_kb_of_flash_and_4_kb_of_ram(tmp_path):
    needs("arm-none-eabi-gcc", "gcc-arm-none-eabi")
    day = next(one for one in alarm_costs.REFERENCES if one.title == "a day")
    without = alarm_costs.firmware(tmp_path / "without", None)
    cost = alarm_costs.cost_of(day, without)
    assert 3000 < cost["flash"] < 6 * 1024
    assert 80 < cost["ram"] < 4 * 1024
