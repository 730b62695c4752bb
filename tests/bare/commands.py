"""Commands one after the other in one process: their exit statuses and what they print, as JSON on standard output."""

import contextlib
import io
import json
import sys

from dualres import cli


def run(words: list[str]) -> tuple[int, str, str]:
    out, err, status = io.StringIO(), io.StringIO(), 0
    sys.argv = ["dualres", *words]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main()
        except SystemExit as end:
            status = int(end.code or 0)
    return status, out.getvalue(), err.getvalue()


if __name__ == "__main__":
    told = [run(words) for words in json.loads(sys.argv[1])]
    json.dump({"told": told, "modules": sorted({name.partition(".")[0] for name in sys.modules})}, sys.stdout)
