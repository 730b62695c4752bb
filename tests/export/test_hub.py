"""The folder for a hub: its front matter as YAML, its card as Markdown, and the model in it."""

import json
import re
from dataclasses import replace

import pytest
import yaml
from markdown_it import MarkdownIt

from dualres import load, save
from dualres.errors import ConfigError, OutputError
from dualres.export.hub import model_card, write_hub
from tests.cli.runner import done, run
from tests.export.conftest import made_model

NASTY = 'worn | <b>"out"</b> \\ *all* #1: é'
TOLD = {"unit": "component", "macro_f1": 0.875, "low": 0.7, "high": 0.95, "level": 0.9, "units": 8.0, "rounds": 4.0}
TOLD |= {"not_known": {"load": "label recordings at another load"}, "same_components": False}
TOLD |= {
    "spread": 0.05,
    "fits": 4,
    "classes": ["good"],
    "classes_not_covered": [],
    "on_another_recording": {},
    "notes": [],
}


@pytest.fixture(scope="module")
def model():
    made = made_model(classes=("good", NASTY))
    card = replace(made.card, exposure_s={"good": 12.5, NASTY: 3.0}, estimates=(TOLD,), remarks=("few recordings",))
    return replace(made, card=card)


def parts(text):
    matter, body = re.fullmatch(r"---\n(.*?)\n---\n(.*)", text, re.DOTALL).groups()
    return yaml.safe_load(matter), body


def test_the_front_matter_is_what_hubs_expect(model):
    matter, _ = parts(model_card(model, NASTY))
    assert matter["library_name"] == "dualres"
    assert "vibration" in matter["tags"]
    (index,) = matter["model-index"]
    (result,) = index["results"]
    assert index["name"] == NASTY
    assert result["metrics"] == [{"type": "f1", "name": "macro-F1", "value": 0.875}]
    assert result["dataset"]["name"] == "labelled recordings, an unseen component"
    assert set(result["task"]) == {"type", "name"}


def test_without_an_estimate_no_score_is_claimed(model):
    plain = replace(model, card=replace(model.card, estimates=()))
    matter, body = parts(model_card(plain, "pump"))
    assert not {"model-index", "metrics"} & set(matter)
    assert "how well it does on what it has not seen is not known" in body


def test_names_are_no_markup_and_every_class_has_its_row(model):
    _, body = parts(model_card(model, NASTY))
    html = MarkdownIt("commonmark").enable("table").render(body)
    assert "<b>" not in html
    assert "<em>" not in html
    rows = re.findall(r"<tr>\s*<td>(.*?)</td>\s*<td>(.*?)</td>\s*</tr>", html)
    assert ("good", "12.5") in rows
    assert ("worn | &lt;b&gt;&quot;out&quot;&lt;/b&gt; \\ *all* #1: é", "3") in rows
    for said in ("macro-F1 87.5 %", "90 % interval 70 to 95", "label recordings at another load", "few recordings"):
        assert said in html


def test_the_folder_holds_the_model_itself(model, tmp_path):
    folder = write_hub(model, tmp_path / "pump")
    assert {one.name for one in folder.iterdir()} == {"README.md", "model.safetensors", "card.json"}
    assert load(folder / "model.safetensors").fingerprint == model.fingerprint
    assert json.loads((folder / "card.json").read_text())["classes"] == ["good", NASTY]


def test_the_command_writes_it_and_replaces_nothing_else(model, tmp_path):
    save(model, tmp_path / "m.safetensors")
    words = ("export", tmp_path / "m.safetensors", tmp_path / "pump", "--to", "hub")
    assert f"Folder  {tmp_path / 'pump'}" in done(*words).output
    assert isinstance(run(*words).exception, OutputError)
    done(*words, "--overwrite")
    (tmp_path / "pump" / "card.json").unlink()
    (tmp_path / "pump" / "README.md").write_text("somebody's own")
    assert isinstance(run(*words, "--overwrite").exception, OutputError)
    assert (tmp_path / "pump" / "README.md").read_text() == "somebody's own"
    wrong = run("export", tmp_path / "m.safetensors", tmp_path / "other", "--to", "hub", "--int16")
    assert isinstance(wrong.exception, ConfigError)
    assert not (tmp_path / "other").exists()
