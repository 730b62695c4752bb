"""The report of a campaign that lies in the folder, made by the command."""

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

from starlette.responses import Response

from dualres.errors import ConfigError, RecordingError
from dualres.web.background import Commands
from dualres.web.endpoints import Endpoint
from dualres.web.workspace import is_campaign

HTML = "text/html; charset=utf-8"
_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


class CampaignReport:
    def __init__(self, folder: Path, commands: Commands, results: Path) -> None:
        """`results` is a folder for the report."""
        self._folder, self._commands, self.results = folder, commands, results

    def endpoints(self) -> list[Endpoint]:
        return [
            Endpoint("POST", "/api/campaign", "Make the report of a campaign", self.make),
            Endpoint("GET", "/api/campaign/page", "The report of a campaign", self.page, gives=HTML),
        ]

    def make(self) -> dict[str, Any]:
        if not is_campaign(self._folder):
            raise ConfigError("there is no campaign in this folder; serve one that dualres bench run has made")
        arguments = ["bench", "report", "--dir", ".", "-o", str(self.results)]
        return self._commands.start("results", "Report", arguments).as_data()

    def page(self) -> Response:
        page, policy = page_with_policy(self.results)
        return Response(page, media_type=HTML, headers={"content-security-policy": policy})


def page_with_policy(folder: Path) -> tuple[bytes, str]:
    """The page of a report, and the policy that lets its own scripts run and no others."""
    path = folder / "index.html"
    if not path.is_file():
        raise RecordingError("the report was not made yet; make it first")
    content = path.read_bytes()
    hashes = (base64.b64encode(hashlib.sha256(script).digest()).decode() for script in _SCRIPT.findall(content))
    scripts = " ".join(f"'sha256-{one}'" for one in hashes)
    policy = (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {scripts}; frame-ancestors 'none'"
    )
    return content, policy
