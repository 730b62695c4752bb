"""The frozen folds of the simulated machines follow their rule, and none leaks."""

from collections import Counter
from itertools import product

import pytest

from dualres.audit import Split, audit
from dualres.bench.campaign.dataset_signals import DatasetSignals, present_datasets
from dualres.bench.datasets import catalog
from dualres.bench.datasets.folds import Fold, load_fold
from dualres.bench.datasets.machines import LETTERS, RELEASE, fold_name, label_of
from dualres.config import POLYPHASE, ModelConfig
from dualres.simulated import machines

EVERY = list(product(machines.NUMBERS, LETTERS))
LEARNED = 3  # recordings per class in the study of rigs


def fold_of(machine, unit):
    """The fold. Windows lie side by side from the start on: so four of them fit into 2.1 s, the shortest recordings."""
    learned, judged = machines.split(machine, unit)
    support = {
        label: tuple(recording.id for recording in nested(r for r in learned if r.label == label))
        for label in machine.classes
    }
    evaluation = tuple(recording.id for recording in judged)
    return Fold(fold_name(machine, unit), machines.NAME, unit, support, evaluation, 0, 1.0, None)


def nested(recordings):
    """The recordings of a class in the order in which budgets take them.

    Next is the one whose speed, load and severity were least often there before, so that few recordings cover much.
    """
    left = list(recordings)
    taken = []

    def met(recording):
        return sum(recording.condition[key] == one.condition[key] for one in taken for key in recording.condition)

    while left:
        taken.append(min(left, key=met))  # the first of several
        left.remove(taken[-1])
    return taken


@pytest.mark.parametrize(("number", "unit"), EVERY)
def test_a_frozen_fold_follows_the_rule(number, unit):
    machine = machines.machine(number)
    frozen = load_fold(fold_name(machine, unit))
    assert frozen == fold_of(machine, unit)
    assert frozen.classes == machine.classes
    known = {r.id: r for r in machines.recordings(machine)}
    judged = [known[name] for name in frozen.evaluation]
    assert set(Counter(r.label for r in judged).values()) == {4 if unit == "speed" else 6}
    key = "severity" if unit == "specimen" else unit
    values = {"severity": machines.SEVERITIES, "speed": machine.speeds, "load": machine.loads}[key]
    assert {r.condition[key] for r in judged} == {str(values[0 if number % 2 else -1])}
    assert {r.condition[key] for r in known.values() if r.id in frozen.supporting()} == {
        str(value) for value in values[1 if number % 2 else 0 : None if number % 2 else -1]
    }


@pytest.mark.parametrize(("number", "unit"), EVERY)
def test_no_fold_leaks(number, unit):
    fold = load_fold(fold_name(machines.machine(number), unit))
    split = Split(tuple(sorted(fold.supporting())), fold.evaluation, fold.held_out)
    of_machine = machines.recordings(machines.machine(number))
    findings = audit(of_machine, split, limitations=RELEASE.limitations, signals=False)
    assert not [f for f in findings if f.severity == "leak" or f.kind == "unknown-unit"]


@pytest.mark.parametrize(("number", "unit"), EVERY)
def test_few_recordings_cover_what_a_support_has(number, unit):
    fold = load_fold(fold_name(machines.machine(number), unit))
    known = {r.id: r.condition for r in machines.family()}
    for members in fold.support.values():
        assert len(members) >= LEARNED
        first = [known[name] for name in members[:LEARNED]]
        for key in ("speed", "load", "severity"):
            assert {c[key] for c in first} == {known[name][key] for name in members}


def test_the_order_of_a_class_takes_what_was_least_there():
    of_class = [r for r in machines.recordings(machines.machine(0)) if r.label == "good"]
    order = nested(of_class)
    assert sorted(r.id for r in order) == sorted(r.id for r in of_class)
    first, second = (set(r.condition.values()) for r in order[:2])
    assert order[0] is of_class[0]
    assert not first & second


def test_four_windows_fit_into_the_shortest_recording():
    config, shortest = ModelConfig(), min(machines.machine(number).seconds for number in machines.NUMBERS)
    folds = [load_fold(name) for name in RELEASE.folds]
    assert all(f.support_start_s + (3 * f.support_step + 1) * config.window_s <= shortest for f in folds)


def test_the_dataset_is_there_without_a_store_and_its_recordings_have_rates_of_their_own(tmp_path):
    assert "machines" in present_datasets(tmp_path)
    source = DatasetSignals("machines", tmp_path, tmp_path / "cache", POLYPHASE)
    names = [load_fold(name).evaluation[0] for name in ("M12L", "M13L")]
    assert [source.native(name).rate for name in names] == [32_000, 16_000]
    assert [len(r.signal) for r in source.at_rate(names)] == [round(3.6 * 64_000), round(2.1 * 64_000)]
    release = catalog.release("machines")
    assert (release.slowest_rate, release.rate) == (12_800, 51_200)
    every = machines.family()
    assert len(every) == release.recordings
    assert sum(machines.machine(int(r.id[1:3])).seconds for r in every) == pytest.approx(release.recorded_s, rel=0.001)
    assert {r.id: r.label for r in every} == {r.id: label_of(r.id) for r in every}
