"""A cell of a table of costs, and the words under which conditions its numbers came about."""

from collections.abc import Iterable, Sequence

from dualres.bench.campaign.dataset_signals import FULL
from dualres.bench.methods.catalog import entry
from dualres.bench.paper.costs import DATASETS as PAPER_DATASETS
from dualres.bench.paper.costs import MACHINE, SCANS, THREADS, printed_cost
from dualres.bench.profile.costs import COSTS, Costs
from dualres.bench.profile.plan import EAGER, SHIPPED
from dualres.bench.report.captions import QUICK_COSTS, joined, sentences, variant_notice
from dualres.bench.report.names import DEVICES, dataset_name, method_name
from dualres.bench.report.tables.model import NOT_RUN, Table, Value

FREE_OF_HARDWARE = ("native_s", "windows")  # what the paper's value should be here, too
OTHER_HARDWARE = (
    f"In brackets: the value printed in the paper, on {MACHINE}. That is other hardware: it shows what order to "
    f"expect, and does not have to be met. {SCANS}"
)
WAY_SENTENCES = {
    EAGER: "Eager, like for like: every neural method by PyTorch's own operations, without compiled or fused code.",
    SHIPPED: "Shipped: each method by its fastest path, DualRes by compiled or fused code of its own.",
}


def cost_table(
    costs: Costs,
    name: str,
    title: str,
    header: Sequence[str],
    rows: Iterable[tuple[Value, ...]],
    *remarks: str,
    labels: int = 1,
) -> Table:
    """A table that states its conditions, what its brackets mean and what is missing."""
    rows = tuple(rows)
    bracketed = any(value.paper for row in rows for value in row)
    notes = (*remarks, OTHER_HARDWARE if bracketed else "", missing(costs))
    return Table(
        name=f"{name}_{costs.name}",
        title=f"{title} ({DEVICES[costs.device]}, {costs.way}{', long record' * costs.long})",
        caption=conditions(costs),
        study="",
        labels=labels,
        header=tuple(header),
        rows=rows,
        note=" ".join(filter(None, notes)),
        measured=costs.name,
    )


def cost_value(costs: Costs, name: str, dataset: str, method: str) -> Value:
    """One measured number; "not run" where it was not, "n/a" where there is no such thing."""
    cost, number = COSTS[name], costs.value(name, dataset, method)
    absent = "n/a" if (dataset, method) in costs.found else NOT_RUN
    return Value(
        text=absent if number is None else f"{number:,.{cost.digits}f}",
        metric=name,
        mean=number,
        dataset=dataset,
        method=method,
        paper=paper_text(costs, name, dataset, method),
    )


def paper_text(costs: Costs, name: str, dataset: str, method: str) -> str | None:
    """The paper's value where ours was measured likewise: neural methods eager and on a GPU, MiniRocket as ever."""
    printed, measurement = printed_cost(name, dataset, method), costs.found.get((dataset, method))
    if printed is None or measurement is None or measurement.facts["input"]["variant"] != FULL or costs.long:
        return None
    like_for_like = not entry(method).trains or (costs.device, costs.way) == ("cuda", EAGER)
    same = like_for_like and costs.threads == THREADS and not costs.quick
    return f"{printed:,.{COSTS[name].digits}f}" if same or name in FREE_OF_HARDWARE else None


def row_name(costs: Costs, method: str) -> Value:
    """The method's name, with its device where that is not the table's."""
    apart = not entry(method).trains and costs.device != "cpu"
    return Value(method_name(method) + " (CPU)" * apart)


def conditions(costs: Costs, *others: Costs) -> str:
    """Machine, threads, precision, repetitions, the ways, and what is not as it should be.

    The others differ in their way only.
    """
    groups = (costs, *others)
    measured = [each for group in groups for each in group.found.values()]
    machines = joined(str(m.facts["machine"]["device"]) for m in measured)
    cores = joined(str(m.facts["machine"]["cores"]) for m in measured)
    batches = joined(str(m.facts["batch"]) for m in measured)
    names = measured[0].plan.workloads
    ways = " ".join(WAY_SENTENCES[group.way] for group in groups)
    done = {each.name: [m.facts["workloads"][each.name] for m in measured] for each in names}
    repeats = (
        f"{name} {joined(str(w['repeats']) for w in each)} after {joined(str(w['warmups']) for w in each)} untimed"
        for name, each in done.items()
    )
    text = (
        f"{machines}; CPU threads: {costs.threads}, cores: {cores}; FP32 without TF32; a fresh process per method; "
        f"at most {batches} windows at once; the first support recording of the first fold. Timed repetitions: "
        f"{joined(repeats)}. {ways}{_single_way(costs)}"
    )
    if loads := [each.busy for each in measured if each.busy]:
        text += f" The machine was not idle: up to {max(loads):.1f} processes ran or waited before a measurement."
    for dataset, variant in {m.plan.dataset: m.facts["input"]["variant"] for m in measured}.items():
        if variant != FULL:
            text += f" {variant_notice(dataset, variant)}"
    return sentences(text, QUICK_COSTS if costs.quick else "")


def _single_way(costs: Costs) -> str:
    """Whose numbers are the same in both ways; empty where nobody's are."""
    titles = dict.fromkeys(method_name(method) for _, method in costs.found if not entry(method).trains)
    return f" {joined(titles)}: one way only, on the CPU, shown with both." if titles else ""


def missing(costs: Costs) -> str:
    """What was not measured, in sentences; empty where everything was."""
    datasets = [dataset_name(name) for name in PAPER_DATASETS if name not in costs.datasets]
    methods = [method_name(m) for m in costs.methods if not any(method == m for _, method in costs.found)]
    places = [(dataset, method) for dataset in costs.datasets for method in costs.methods]
    lacking = sum(place not in costs.found for place in places)
    sentences = {
        f"Datasets not measured: {joined(datasets)}.": bool(datasets),
        f"Methods not measured: {joined(methods)}.": bool(methods),
        f"Of {len(places)} combinations, {lacking} are missing.": bool(lacking),
    }
    return " ".join(sentence for sentence, true in sentences.items() if true)
