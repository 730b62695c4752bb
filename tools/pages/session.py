"""The session in the README's "Your own files": its commands are run in an empty folder, and written with their output.

python -m tools.pages.session
python -m tools.pages.session --check
"""

import os
import re
import subprocess
import sys
import tempfile

from dualres.utils.files import write_whole
from tools.generated import ROOT, only_checked

BEGIN, END = "<!-- a session with one's own files -->\n```console\n", "```\n<!-- end of the session -->"
PROMPT = "$ "
PROGRAMS = {"dualres": f"{sys.executable} -m dualres.cli", "python": sys.executable}


def main() -> None:
    check, page = only_checked(__doc__), ROOT / "README.md"
    text = page.read_text()
    before, _, rest = text.partition(BEGIN)
    session, _, after = rest.partition(END)
    said = replayed([line for line in session.splitlines() if line.startswith(PROMPT)])
    if said == session:
        return
    if check:
        sys.exit(f"README.md: its session prints something else now; `make session` writes it again:\n{said}")
    write_whole(page, f"{before}{BEGIN}{said}{END}{after}".encode())
    print("README.md: written")


def replayed(prompts: list[str]) -> str:
    """The commands, each followed by what it printed; how far it was and how long it took are not shown."""
    environment = {**os.environ, "COLUMNS": "80", "PYTHONPATH": str(ROOT / "src")}
    blocks = []
    with tempfile.TemporaryDirectory(prefix="dualres-") as folder:
        for line in prompts:
            command = re.sub(r"^\w+", lambda name: PROGRAMS.get(name[0], name[0]), line.removeprefix(PROMPT))
            done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{line}: failed\n{done.stderr}")
            blocks.append("".join(f"{each.rstrip()}\n" for each in (line, *done.stdout.splitlines())))
    return "\n".join(blocks)


if __name__ == "__main__":
    main()
