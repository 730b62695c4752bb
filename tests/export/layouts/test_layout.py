"""Every file of an export is where its build system looks for it, and none is where it would be compiled by mistake."""

import re
from pathlib import PurePosixPath

import pytest
import typer.main

from dualres import cli
from dualres.errors import ConfigError, OutputError
from dualres.export.c99 import write_c99
from dualres.export.compiler import SOURCES
from dualres.export.device_network import ORDERS_DEVICE, PAPER_DEVICE, VIEWS_DEVICE
from dualres.export.layouts.catalogue import FLAT, LAYOUTS, layout_called
from dualres.export.layouts.layout import EXTRAS, SOURCE
from dualres.export.sources import MADE, copied
from tests.export.conftest import made_model
from tests.export.layouts.conftest import FORMS

FACTS = {"version": "1.2.3", "rate": "12800", "classes": "4"}
NETWORKS = {"paper": PAPER_DEVICE, "views": VIEWS_DEVICE, "orders": ORDERS_DEVICE}


def c99_files(network=PAPER_DEVICE, **more):
    return copied(network) | dict.fromkeys(MADE, b"") | {name: text.encode() for name, text in more.items()}


def quoted(content):
    return re.findall(r'^\s*#\s*(?:include|define\s+\w+)\s+"([^"]+\.(?:h|c|inc))"', content.decode(), re.MULTILINE)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("network", NETWORKS)
def test_a_build_that_compiles_all_it_finds_compiles_the_library_and_no_more(form, network):
    found = LAYOUTS[form].arranged(c99_files(NETWORKS[network]), FACTS)
    compiled = {name for name in found if name.startswith("src/") and name.endswith((".c", ".cpp", ".S", ".ino"))}
    assert compiled == {f"{SOURCE}/{name}" for name in SOURCES}
    assert [name for name in found if name.startswith("src/") and name.count("/") == 1] == ["src/dualres.h"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("network", NETWORKS)
def test_whatever_a_file_includes_is_there(form, network):
    files = c99_files(NETWORKS[network])
    found, example = LAYOUTS[form].arranged(files, FACTS), LAYOUTS[form].example
    # A kind that does not search for the speed goes without search.h, and what platforms bring is not here.
    known = {PurePosixPath(name).name for name in (*files, *found)}
    looked = {SOURCE: [], "src": [], EXTRAS: [SOURCE, "src", example], example: ["src"]}
    checked = 0
    for name in (name for name in found if name.endswith((".c", ".h", ".inc", ".ino", ".cpp"))):
        folder = next(one for one in sorted(looked, key=len, reverse=True) if name.startswith(f"{one}/"))
        # A definition in the network's header is of use to the source beside.
        for text in (text for text in quoted(found[name]) if PurePosixPath(text).name in known):
            places = {f"{one}/{text}" for one in (name.rpartition("/")[0], *looked[folder])}
            assert places & set(found), (name, text)
            checked += 1
    assert checked > 20


@pytest.mark.parametrize("form", FORMS)
def test_the_c_is_that_of_c99_but_for_one_name(form):
    files = c99_files(ORDERS_DEVICE)
    found = LAYOUTS[form].arranged(files, FACTS)
    for name, content in found.items():
        if name.startswith(f"{SOURCE}/"):
            as_c99 = name.removeprefix(f"{SOURCE}/").replace("kernel/orders.inc", "kernel/orders.c")
            assert content.replace(b"kernel/orders.inc", b"kernel/orders.c") == files[as_c99]
    assert b'"kernel/orders.inc"' in found[f"{SOURCE}/network.h"]


def test_more_that_an_export_brings_is_taken_where_it_belongs():
    files = c99_files(**{"alarm.h": "", "check_alarm.h": "", "not_included.h": ""})
    files["dualres.c"] += b'#ifdef DUALRES_ALARM\n#include "alarm.h"\n#endif\n'
    files["check.c"] += b'#include "check_alarm.h"\n#include "alarm.h"\n'
    found = LAYOUTS["arduino"].arranged(files, FACTS)
    assert f"{SOURCE}/alarm.h" in found
    assert f"{EXTRAS}/check_alarm.h" in found
    assert not [name for name in found if name.endswith("not_included.h") or name == f"{EXTRAS}/alarm.h"]


def test_c99_itself_is_left_as_it_is():
    files = c99_files()
    assert FLAT.arranged(files, FACTS) == files


def test_the_command_line_offers_every_layout():
    (to,) = (one for one in typer.main.get_command(cli.app).commands["export"].params if one.name == "to")
    assert list(to.type.choices) == [*LAYOUTS, "onnx", "hub"]


def test_no_other_layout_is_known():
    with pytest.raises(ConfigError, match="no layout 'mbed' of C; there are c99, arduino"):
        layout_called("mbed")


@pytest.mark.parametrize("form", FORMS)
def test_the_readme_names_one_command_and_what_was_not_compiled(unchecked, form):
    readme = (unchecked(form) / "README.md").read_text()
    commands = [line for line in readme.splitlines() if line.startswith("    cc ") and line.endswith("-o listen")]
    assert len(commands) == 1
    assert "was not compiled here" in readme
    assert "$" not in readme.replace("$CC", "")
    assert "not checked when exported" in readme
    assert LAYOUTS[form].checking.startswith("compile and run `extras/check.c`")


@pytest.mark.parametrize("form", FORMS)
def test_it_lists_all_its_files_and_leaves_no_place_in_a_template(unchecked, form):
    folder = unchecked(form)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert set((folder / "files.txt").read_text().splitlines()) == files
    for name in files:
        content = (folder / name).read_bytes()
        assert content.isascii(), name
        assert not re.search(rb"@(version|rate|classes|sources)", content), name


def test_an_export_replaces_one_of_another_layout_and_leaves_nothing_of_it(no_compiler, tmp_path):
    folder, model = tmp_path / "board", made_model(classes=("good", "worn"))
    write_c99(model, folder, unchecked=True)
    (folder / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="--overwrite"):
        write_c99(model, folder, layout="arduino", unchecked=True)
    for name in ("arduino", "zephyr", "c99"):
        write_c99(model, folder, layout=name, overwrite=True, unchecked=True)
        files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        assert set((folder / "files.txt").read_text().splitlines()) == files - {"mine.txt"}
    assert not list(folder.glob("src")) + list(folder.glob("zephyr"))
