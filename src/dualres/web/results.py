"""The report of a campaign on the page, where the folder is one."""

import base64
import hashlib
import re
from pathlib import Path

from dualres.errors import RecordingError

HOLDS = ("ledger.sqlite", "jobs.jsonl")  # a ledger, or its export
PAGE = "index.html"
_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def is_campaign(folder: Path) -> bool:
    return any((folder / name).is_file() for name in HOLDS)


def page_with_policy(folder: Path) -> tuple[bytes, str]:
    """The page of a report, and the policy that lets its own scripts run and no others."""
    path = folder / PAGE
    if not path.is_file():
        raise RecordingError("the report was not made yet; make it first")
    content = path.read_bytes()
    hashes = (base64.b64encode(hashlib.sha256(script).digest()).decode() for script in _SCRIPT.findall(content))
    scripts = " ".join(f"'sha256-{one}'" for one in hashes)
    policy = (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {scripts}; frame-ancestors 'none'"
    )
    return content, policy
