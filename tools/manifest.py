"""Write results/MANIFEST, the hash of every file in results/; with `--check`, only compare."""

import sys

from dualres.bench.verify.manifest import check_manifest, write_manifest
from tools.generated import ROOT, only_checked

RESULTS = ROOT / "results"


def main() -> None:
    if not only_checked(__doc__):
        print(f"root hash of results: {write_manifest(RESULTS)}")
    elif problems := check_manifest(RESULTS):
        sys.exit("\n".join([*problems, "`make manifest` writes results/MANIFEST again"]))


if __name__ == "__main__":
    main()
