"""Tables of the study of rigs: what every candidate scores, what the rule chooses, and how that does against peers.

The rule chooses a default across rigs; it was fixed before a score of the suite was known. Chosen is the candidate with
the best mean gain over the paper's recipe, among those that lose at most 3 points on any rig against the default before
it, the network of views. That is a candidate itself, so there is always one. What the rule chooses without a rig is
judged on that rig, and only such figures count; what ships is what it chooses from all rigs.
"""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dualres.bench.campaign.rigs import LINEAR, NETWORK, PEERS, RIGS, WITHOUT_RECIPE, Rig, recipes
from dualres.bench.report.captions import in_words
from dualres.bench.report.compare import Pair, interval
from dualres.bench.report.names import method_name
from dualres.bench.report.registry import makes_table
from dualres.bench.report.results import FinishedJob, Results, has
from dualres.bench.report.tables.fill import NOT_RUN, Sheet, Table, Value, mark_best, metric
from dualres.config import RECIPES
from dualres.model.kinds import ORDERS, VIEWS

REFERENCE = "paper"
BEFORE = method_name(VIEWS.method)  # the default that a new one must not fall behind
MOST_LOST = 3.0  # percentage points
RigScores = Mapping[str, Mapping[str, float]]  # candidate -> rig -> macro-F1 in percent
LEVEL = 0.9  # of the intervals
DIGITS = 1
PARTS_ARE = (
    "Candidates are named by the parts of the robust recipe that they add to the paper's: random paths, mixup, "
    "standardised spectra, and long, which is 800 updates with their learning rate and decay."
)
RULE_IS = (
    f"The rule: the best mean gain over the paper's recipe among candidates that lose at most {MOST_LOST:g} points "
    f"against {BEFORE} on any rig."
)
SPEEDS_ARE = (
    f"{method_name(ORDERS.method)} is told the speeds that the releases state, of what it learns from and of what it "
    "judges; all others know no operating condition."
)
INTERVALS_ARE = (
    "Differences are in percentage points, with the 90 % interval of a hierarchical bootstrap over folds, recordings "
    "and seeds. Of a method with one seed, that one is paired with every seed of the other. Few folds make such an "
    "interval too narrow rather than too wide."
)


def gains(scores: RigScores, candidate: str, rigs: Iterable[str]) -> dict[str, float]:
    """Over the reference, in percentage points, rig by rig."""
    return {rig: scores[candidate][rig] - scores[REFERENCE][rig] for rig in rigs}


def choose(scores: RigScores, rigs: Iterable[str]) -> str:
    """What the rule chooses from these rigs; of equals, the candidate that is named first."""
    rigs, before = list(rigs), scores.get(BEFORE, scores[REFERENCE])
    allowed = {
        name: statistics.fmean(gains(scores, name, rigs).values())
        for name, found in scores.items()
        if min(found[rig] - before[rig] for rig in rigs) >= -MOST_LOST
    }
    return max(allowed, key=allowed.__getitem__)


def chosen_without(scores: RigScores, rigs: Iterable[str]) -> dict[str, str]:
    """For every rig, what the rule chooses from the others."""
    rigs = list(rigs)
    return {left: choose(scores, [rig for rig in rigs if rig != left]) for left in rigs}


@dataclass(frozen=True)
class Contender:
    """A method by a recipe, whose updates may differ between rigs; it may be chosen unless it is a peer."""

    title: str
    method: str
    recipe: str | None = None  # as `recipes` calls it

    def on(self, rig: Rig, results: Results) -> dict[str, object]:
        """What all of its jobs on a rig have in common."""
        recipe = recipes(rig.updates)[self.recipe] if self.recipe else None
        if recipe and results.quick:
            recipe = replace(recipe, updates=results.quick.updates)
        where = {"dataset": rig.dataset, "budget": rig.budget, "fold": frozenset(rig.folds)}
        return {**where, "method": self.method, "recipe": recipe}


CANDIDATES = (
    *(Contender(name, NETWORK, name) for name in recipes(RECIPES["paper"].updates)),
    *(Contender(method_name(name), name) for name in WITHOUT_RECIPE),
)
LINEAR_MODELS = tuple(Contender(f"linear, {name}", LINEAR, name) for name in RECIPES)
OTHERS = tuple(Contender(method_name(name), name) for name in PEERS)


class Suite:
    """The rigs of which every candidate has all of its jobs: only these count."""

    def __init__(self, results: Results) -> None:
        self.results, self.sheet = results, Sheet(results)
        self.candidates = [one for one in CANDIDATES if self._planned(one)]
        self.peers = [one for one in (*LINEAR_MODELS, *OTHERS) if self._planned(one)]
        self.values = {
            (one.title, rig.title): self._value(one, rig) for one in (*self.candidates, *self.peers) for rig in RIGS
        }
        whole = [rig for rig in RIGS if all(self.values[one.title, rig.title].complete for one in self.candidates)]
        self.rigs = {rig.title: rig for rig in whole}
        self.scores = {one.title: {rig: self._mean(one, rig) for rig in self.rigs} for one in self.candidates}

    def _planned(self, one: Contender) -> bool:
        return any(has(job, one.on(rig, self.results)) for rig in RIGS for job in self.results.planned.values())

    def _value(self, one: Contender, rig: Rig) -> Value:
        fields = one.on(rig, self.results)
        value = self.sheet.value(metric("macro_f1"), fields, self.results.planned_seeds(**fields))
        text = value.text if value.mean is None else f"{value.mean:.{DIGITS}f}"
        return replace(value, text=text, paper=None)

    def _mean(self, one: Contender, rig: str) -> float:
        mean = self.values[one.title, rig].mean
        assert mean is not None  # of a rig that counts
        return mean

    def contender(self, title: str) -> Contender:
        return next(one for one in (*self.candidates, *self.peers) if one.title == title)

    def linear(self, rig: str) -> Contender | None:
        """The linear model by whichever of its recipes is better on the rig; None where one was not run."""
        found = [one for one in self.peers if one.method == LINEAR]
        if not found or not all(self.values[one.title, rig].complete for one in found):
            return None
        return max(found, key=lambda one: self._mean(one, rig))

    def difference(self, one: Contender, other: Contender | None, rig: str) -> str:
        """The first minus the second, with its interval, in words."""
        if one == other:
            return "the same"
        entries = [self.results.where(**each.on(self.rigs[rig], self.results)) if each else [] for each in (one, other)]
        folds = list(paired(*entries).values())
        if not folds:
            return NOT_RUN
        points = [100 * (mine.macro_f1 - theirs.macro_f1) for pairs in folds for mine, theirs in pairs]
        low, high = interval(folds, f"{rig} {one.title} {other and other.title}", LEVEL)
        return f"{statistics.fmean(points):+.1f} [{low:+.1f}, {high:+.1f}]"


suite_of = lru_cache(maxsize=1)(Suite)  # three tables in a row are made of it


def paired(ours: Sequence[FinishedJob], theirs: Sequence[FinishedJob]) -> dict[str, list[Pair]]:
    """Outcomes of equal fold and seed, by fold; of a side with one seed, that one stands beside each of the other's."""
    pairs: dict[str, list[Pair]] = {}
    alone = min(len({entry.job.seed for entry in side}) for side in (ours, theirs)) == 1
    for one in ours:
        for other in (other for other in theirs if other.job.fold == one.job.fold):
            if alone or one.job.seed == other.job.seed:
                pairs.setdefault(one.job.fold, []).append((one.outcome, other.outcome))
    return pairs


@makes_table("rigs_scores")
def rigs_scores(results: Results) -> Table:
    """Candidates and peers by rigs, and what each candidate gains."""
    suite = suite_of(results)
    columns = {
        rig.title: mark_best([suite.values[one.title, rig.title] for one in suite.candidates], rig.title, DIGITS)
        for rig in RIGS
    }
    rows = []
    for number, one in enumerate(suite.candidates):
        found = gains(suite.scores, one.title, suite.rigs).values()
        words = (f"{statistics.fmean(found):+.1f}", f"{min(found):+.1f}") if found else (NOT_RUN, NOT_RUN)
        rows.append((Value(one.title), *(columns[rig.title][number] for rig in RIGS), *map(Value, words)))
    rows += [
        (Value(one.title), *(suite.values[one.title, rig.title] for rig in RIGS), Value(""), Value(""))
        for one in suite.peers
    ]
    counted = f"Gains are over {in_words(list(suite.rigs))}." if suite.rigs else "No rig is complete yet."
    return suite.sheet.made(
        "rigs_scores",
        "Macro-F1 (%) of every candidate on every rig",
        ("Candidate", *(rig.title for rig in RIGS), "Mean gain", "Worst"),
        rows,
        labels=1,
        note=f"{PARTS_ARE} {SPEEDS_ARE} Below them, peers that are never chosen: the linear model is DualRes "
        "without its memory, which is linear in the two mean log-spectra. Means over folds and seeds. Bold: best "
        f"candidate per rig. {counted}",
    )


@makes_table("rigs_left_out")
def rigs_left_out(results: Results) -> Table | None:
    """For every rig, what the rule chooses without it and how that does there: the figures that count."""
    suite = suite_of(results)
    if len(suite.rigs) < 2:
        return None
    chosen = chosen_without(suite.scores, suite.rigs)
    note = f"{RULE_IS} From all rigs it chooses {choose(suite.scores, suite.rigs)}, which ships. {agreement(suite)}"
    title = "What the rule chooses without a rig, judged on that rig"
    return _against_peers(suite, chosen, name="rigs_left_out", title=title, note=note)


@makes_table("rigs_shipped")
def rigs_shipped(results: Results) -> Table | None:
    """What ships against the paper's recipe and peers; optimistic, since every rig had its say in the choice."""
    suite = suite_of(results)
    if len(suite.rigs) < 2:
        return None
    ships = dict.fromkeys(suite.rigs, choose(suite.scores, suite.rigs))
    note = f"{RULE_IS} Every rig had its say in this choice, so the figures are optimistic."
    title = "What the rule chooses from all rigs, on each of them"
    return _against_peers(suite, ships, name="rigs_shipped", title=title, note=note)


def _against_peers(suite: Suite, chosen: Mapping[str, str], *, name: str, title: str, note: str) -> Table:
    """Rig by rig, the score of what was chosen, and its differences from the reference and from peers."""
    reference = suite.contender(REFERENCE)
    others = [one for one in suite.peers if one.method != LINEAR]
    rows = []
    for rig, candidate in chosen.items():
        ours = suite.contender(candidate)
        against: Iterable[Contender | None] = (reference, *others, suite.linear(rig))
        differences = [Value(suite.difference(ours, other, rig)) for other in against]
        rows.append((Value(rig), Value(candidate), suite.values[candidate, rig], *differences))
    peers = ["minus the paper's recipe", *(f"minus {one.title}" for one in others)]
    return suite.sheet.made(
        name,
        title,
        ("Rig", "Chosen", "Macro-F1 (%)", *peers, "minus linear model"),
        rows,
        labels=1,
        note=f"{note} {SPEEDS_ARE} {INTERVALS_ARE} The linear model is by the better of its two recipes on the rig.",
    )


def agreement(suite: Suite) -> str:
    """Whether the simulated machines alone would have led to the choice that the real rigs alone lead to."""
    real = [title for title, rig in suite.rigs.items() if rig.real]
    simulated = [title for title, rig in suite.rigs.items() if rig.dataset == "machines"]
    if not real or not simulated:
        return ""
    on_real, on_simulated = choose(suite.scores, real), choose(suite.scores, simulated)
    if on_real == on_simulated:
        return f"From the real rigs alone and from the simulated machines alone it chooses the same, {on_real}."
    gain, other = (statistics.fmean(gains(suite.scores, name, real).values()) for name in (on_simulated, on_real))
    return (
        f"From the simulated machines alone it chooses {on_simulated}, from the real rigs alone {on_real}; on the real "
        f"rigs the first gains {gain:+.1f} and the second {other:+.1f} points on average: they do not agree."
    )
