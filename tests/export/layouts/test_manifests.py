"""What the rules that a build system publishes ask of its files; by its own Python package where that is installed."""

import json
import re
from xml.etree import ElementTree

import pytest
import yaml

from dualres import __version__
from dualres.export.compiler import SOURCES

SEMVER = re.compile(r"\d+\.\d+\.\d+")
LIBRARY = {f"src/dualres/{name}" for name in SOURCES}


def no_package(name):
    return pytest.importorskip(name, reason=f"{name}, which knows this manifest, is not installed")


def test_library_properties(unchecked):
    """Arduino's library specification, revision 2.2."""
    folder = unchecked("arduino")
    lines = (folder / "library.properties").read_text().splitlines()
    properties = dict(line.split("=", 1) for line in lines)
    required = {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures"}
    assert required <= set(properties) <= required | {"includes"}
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,62}", properties["name"])
    assert not properties["name"].lower().startswith("arduino")
    assert SEMVER.fullmatch(properties["version"])
    assert properties["category"] in (
        *("Display", "Communication", "Signal Input/Output", "Sensors", "Device Control", "Timing"),
        *("Data Storage", "Data Processing", "Other", "Uncategorized"),
    )
    assert all((folder / "src" / header).is_file() for header in properties["includes"].split(","))
    assert not properties["paragraph"].startswith(properties["sentence"])
    # A sketch has the name of its folder, and lies below `examples`.
    sketches = list((folder / "examples").rglob("*.ino"))
    assert [sketch.stem for sketch in sketches] == [sketch.parent.name for sketch in sketches] == ["Listen"]
    # With src, what lies in the root or in utility is not compiled.
    assert not list(folder.glob("*.c*")) + list(folder.glob("*.h")) + list(folder.glob("utility"))


def test_keywords_are_names_of_the_header_and_separated_by_tabs(unchecked):
    folder = unchecked("arduino")
    known = "".join((folder / "src" / "dualres" / name).read_text() for name in ("dualres.h", "dualres_model.h"))
    known += (folder / "src" / "dualres" / "kernel" / "samples.h").read_text()
    for line in (folder / "keywords.txt").read_text().splitlines():
        name, kind = line.split("\t")
        assert re.search(rf"\b{name}\b", known), name
        assert kind in ("KEYWORD1", "KEYWORD2", "LITERAL1")


def test_library_json(unchecked):
    folder = unchecked("platformio")
    manifest = json.loads((folder / "library.json").read_text())
    assert {"name", "version", "description", "keywords", "authors"} <= set(manifest)
    assert re.fullmatch(r"[^:;/,@<>]{1,50}", manifest["name"])
    assert SEMVER.fullmatch(manifest["version"])
    assert len(manifest["description"]) <= 255
    assert all(re.fullmatch(r"[a-z\d\-_+. ]{1,50}", keyword) for keyword in manifest["keywords"])
    assert (folder / "src" / manifest["headers"]).is_file()
    (example,) = manifest["examples"]
    assert all((folder / example["base"] / name).is_file() for name in example["files"])


def test_platformio_reads_library_json(unchecked):
    schema, parser = no_package("platformio.package.manifest.schema"), no_package("platformio.package.manifest.parser")
    manifest = parser.ManifestParserFactory.new_from_dir(str(unchecked("platformio"))).as_dict()
    assert manifest.pop("license") == "MIT"  # it asks the network which licences there are
    assert schema.ManifestSchema().load_manifest(manifest)["name"] == "DualRes"
    with pytest.raises(schema.ManifestValidationError):
        schema.ManifestSchema().load_manifest({**manifest, "version": "first"})


def test_platformio_reads_the_project_of_the_example(unchecked):
    config = no_package("platformio.project.config")
    path = unchecked("platformio") / "examples" / "listen" / "platformio.ini"
    project = config.ProjectConfig(str(path))
    assert project.envs() == ["teensy41"]
    (library,) = project.get("env:teensy41", "lib_deps")
    assert (path.parent / library.removeprefix("symlink://") / "library.json").is_file()


def test_idf_component_yml(unchecked):
    folder = unchecked("esp-idf")
    manifest = yaml.safe_load((folder / "idf_component.yml").read_text())
    assert SEMVER.fullmatch(manifest["version"])
    assert set(manifest) <= {"version", "description", "license", "dependencies", "examples", "url", "targets"}
    assert all((folder / one["path"] / "CMakeLists.txt").is_file() for one in manifest["examples"])
    main = folder / "examples" / "listen" / "main"
    (needed,) = yaml.safe_load((main / "idf_component.yml").read_text())["dependencies"].values()
    # From the folder of the manifest that names it.
    assert (main / needed["path"]).resolve() == folder.resolve()
    build = (folder / "CMakeLists.txt").read_text()
    assert build.startswith("idf_component_register(")
    assert set(re.findall(r'"(src/.*)"', build)) == LIBRARY
    assert "app_main(void)" in (main / "main.c").read_text()


def test_the_component_manager_reads_its_manifests(unchecked):
    manager = no_package("idf_component_tools.manager")
    folder = unchecked("esp-idf")
    component = manager.ManifestManager(str(folder), "dualres", upload_mode=manager.UploadMode.component)
    assert str(component.load().version) == __version__
    main = manager.ManifestManager(str(folder / "examples" / "listen" / "main"), "main").load()
    assert list(main.dependencies) == ["dualres"]


def test_module_yml(unchecked):
    folder = unchecked("zephyr")
    module = yaml.safe_load((folder / "zephyr" / "module.yml").read_text())
    assert set(module) <= {"name", "build", "samples", "tests", "boards"}
    assert set(module["build"]) <= {"cmake", "kconfig", "depends", "settings"}
    assert (folder / module["build"]["cmake"] / "CMakeLists.txt").is_file()  # a folder from the root
    assert (folder / module["build"]["kconfig"]).is_file()  # a file from the root
    build = (folder / "zephyr" / "CMakeLists.txt").read_text()
    assert set(re.findall(r"/\.\./(src/dualres/.*\.c)", build)) == LIBRARY
    options = set(re.findall(r"^config (\w+)", (folder / "zephyr" / "Kconfig").read_text(), re.MULTILINE))
    assert set(re.findall(r"CONFIG_(\w+)", build)) == options
    asked = (folder / "samples" / "listen" / "prj.conf").read_text().splitlines()
    assert "CONFIG_DUALRES=y" in asked


def test_kconfiglib_reads_kconfig(unchecked, tmp_path):
    kconfiglib = no_package("kconfiglib")
    own = unchecked("zephyr") / "zephyr" / "Kconfig"
    around = "".join(f"config {name}\n\tbool\n" for name in ("REQUIRES_FULL_LIBC", "CPU_HAS_FPU"))
    (tmp_path / "Kconfig").write_text(f'{around}config FPU\n\tbool "FPU"\nosource "{own}"\n')
    options = kconfiglib.Kconfig(str(tmp_path / "Kconfig"), warn_to_stderr=False)
    assert options.warnings == []
    options.syms["DUALRES"].set_value("y")
    assert [options.syms[name].str_value for name in ("FPU", "REQUIRES_FULL_LIBC", "DUALRES_COUNTS")] == ["y", "y", "n"]


def test_pack_description(unchecked):
    """Version 1.7.7 of the schema of pack descriptions."""
    folder = unchecked("cmsis-pack")
    (path,) = folder.glob("*.pdsc")
    package = ElementTree.parse(path).getroot()
    assert package.tag == "package"
    assert re.fullmatch(r"\d+\.\d+(\.\d+)?", package.get("schemaVersion"))
    children = [child.tag for child in package]
    assert len(children) == len(set(children))
    assert {"name", "vendor", "description", "url", "releases"} <= set(children)
    vendor, name = package.findtext("vendor"), package.findtext("name")
    assert all(re.fullmatch(r"[-_A-Za-z0-9]+", one) for one in (vendor, name))
    assert path.name == f"{vendor}.{name}.pdsc"
    assert [one.get("version") for one in package.iter("release")] == [__version__]
    (component,) = package.iter("component")
    assert {child.tag for child in component} == {"description", "files"}
    for kind in ("Cclass", "Cgroup"):
        assert 2 <= len(component.get(kind)) <= 32
    assert component.get("Cclass") in {one.get("Cclass") for one in package.iter("description") if one.get("Cclass")}
    assert re.match(r"\d+\.\d+", component.get("Cversion"))
    files = list(component.iter("file"))
    assert {one.get("category") for one in files} == {"doc", "include", "header", "sourceC"}
    for one in files:
        assert (folder / one.get("name")).exists(), one.get("name")
        assert one.get("category") != "include" or one.get("name").endswith("/")
        assert (one.get("attr") == "template") == bool(one.get("select"))
    sources = {one.get("name") for one in files if one.get("category") == "sourceC" and not one.get("attr")}
    assert sources == LIBRARY
