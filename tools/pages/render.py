"""Write the pages of results and the results in other pages from what results/ holds; with `--check`, only compare.

A page's source stands in results/pages/; in it `{question}` is replaced by what query.py says. The README and other
pages written by hand hold the text of a source between two comments that name it.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from dualres.bench.campaign.exchange.read_export import load_export
from dualres.utils.files import write_whole
from tools.pages.query import Answers

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
QUESTION = re.compile(r"\{([a-z_0-9]+(?: [^{}\n]+)?)\}")
# In docs/.
PAGES = (
    *("results", "recipe", "adaptation", "check", "zero-labels", "trend", "explain", "advise", "trust"),
    *("reliability", "alarms"),
    "release",
)
PARTS = {
    "README.md": ("how_good", "how_fast"),
    "docs/live.md": ("live_load", "carried_memory"),
    "docs/speed.md": ("gpu_roofline",),
    "docs/edge.md": ("exported_streams", "exported_alarms", "alarm_costs", "vector_instructions"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a page is not as it should be")
    check = parser.parse_args().check
    results = RESULTS
    with (
        TemporaryDirectory() as scratch,
        load_export(results, Path(scratch) / "ledger.sqlite") as ledger,
        load_export(results / "repeated", Path(scratch) / "repeated.sqlite") as repeated,
    ):
        answers = Answers(results, ledger, repeated)
        pages = {ROOT / "docs" / f"{name}.md": filled(name, answers) for name in PAGES}
        pages |= {ROOT / name: with_parts(ROOT / name, sources, answers) for name, sources in PARTS.items()}
    differing = [path for path, text in pages.items() if not path.exists() or path.read_text() != text]
    for path in differing:
        print(f"{path.relative_to(ROOT)}: {'is not what results/ gives' if check else 'written'}")
        if not check:
            write_whole(path, pages[path].encode())
    if check and differing:
        sys.exit("`make results` writes them again")


def filled(source: str, answers: Answers) -> str:
    """A source with every question answered."""
    text = QUESTION.sub(lambda found: answers.ask(found[1]), (RESULTS / "pages" / f"{source}.md").read_text())
    return re.sub(" +$", "", text, flags=re.MULTILINE)  # an answer may be nothing


def with_parts(page: Path, sources: Sequence[str], answers: Answers) -> str:
    """A page written by hand, with the text of these sources between their comments."""
    text = page.read_text()
    for source in sources:
        begin, end = f"<!-- from results/pages/{source}.md -->\n", f"<!-- end of {source} -->\n"
        before, rest = text.split(begin)
        text = before + begin + filled(source, answers) + end + rest.split(end)[1]
    return text


if __name__ == "__main__":
    main()
