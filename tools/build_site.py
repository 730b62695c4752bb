"""Write the documents as a site to site/, and fail where a link of it leads nowhere."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from generated import ROOT
from speed_plots import plots
from website.build import build
from website.dead_links import dead_links


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "site", help="the folder; it is written anew")
    site = parser.parse_args().out
    pages = build(ROOT, site, {"speed history": plots})
    if problems := dead_links(site):
        sys.exit("\n".join(problems))
    print(f"{pages} pages: {site / 'index.html'}")


if __name__ == "__main__":
    main()
