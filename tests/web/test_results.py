"""A campaign's report on the page: its own scripts run, and no others."""

import base64
import hashlib
from pathlib import Path

import pytest

from dualres.bench.campaign.studies import study
from dualres.bench.report.page import write_page
from dualres.bench.report.results import Results
from dualres.errors import RecordingError
from dualres.web.campaign import page_with_policy
from dualres.web.workspace import is_campaign
from tests.bench.campaign.synthetic import synthetic_ledger
from tests.bench.report.browser import Browser
from tests.web.served import Served, folder_of_tones

RESULTS = Path(__file__).parents[2] / "results"


def test_a_folder_with_a_ledger_or_its_export_is_a_campaign(tmp_path: Path) -> None:
    assert not is_campaign(folder_of_tones(tmp_path / "tones", 1))
    assert is_campaign(RESULTS)


def test_only_the_scripts_of_the_page_itself_may_run(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="not made yet"):
        page_with_policy(tmp_path)
    (tmp_path / "index.html").write_text("<script>\none()\n</script><script type='x'>two</script>")
    _, policy = page_with_policy(tmp_path)
    expected = base64.b64encode(hashlib.sha256(b"\none()\n").digest()).decode()
    assert f"script-src 'sha256-{expected}';" in policy


def test_a_folder_without_a_campaign_has_no_report(tmp_path: Path) -> None:
    with Served(folder_of_tones(tmp_path / "tones", 1)) as served:
        assert served.ask("POST", "/api/campaign")[0] == 400
        assert served.get("/api/folder")["campaign"] is False


def test_a_campaign_opens_with_its_report_on_the_fullest_study(tmp_path: Path, browser: Browser) -> None:
    folder = tmp_path / "campaign"
    folder.mkdir()
    with synthetic_ledger(folder / "ledger.sqlite", ["pilot", "bearing"], datasets=["cwru", "simulated"]) as ledger:
        results = {name: Results(ledger, study(name)) for name in ("pilot", "bearing")}
        with Served(folder) as served:
            write_page(served.page.api.campaign.results / "index.html", results, [], [])
            browser.visit(served.page.link, 1280)
            browser.wait("document.querySelector('nav a[aria-current]')")
            assert browser.evaluate("document.querySelector('nav a[aria-current]').textContent") == "Results"
            assert "dropped" not in browser.evaluate("document.body.innerText")
            browser.visit(f"http://127.0.0.1:{served.port}/api/campaign/page", 1280)
            browser.wait("document.querySelector('#results .matrix')")
            assert browser.evaluate("document.querySelector('#filter-study').value") == "bearing"
            assert browser.errors == []
