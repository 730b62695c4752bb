"""What `import dualres` gives: the public names, at once."""

import subprocess
import sys

import dualres


def test_public_names():
    assert dualres.__all__ == [
        "Card",
        "DualRes",
        "DualResClassifier",
        "DualResError",
        "Model",
        "ModelConfig",
        "Reasons",
        "Recipe",
        "Recording",
        "Verdict",
        "__version__",
        "diagnose_recording",
        "explain_recording",
        "fit_model",
        "fit_network",
        "load",
        "read",
        "read_folder",
        "save",
        "to_frame",
    ]
    for name in dualres.__all__:
        assert getattr(dualres, name) is not None
    assert set(dualres.__all__) <= set(dir(dualres))


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(dualres, "nonsense")


def test_importing_it_loads_nothing_heavy():
    heavy = ("torch", "numpy", "scipy", "sklearn", "matplotlib", "typer", "rich")
    code = f"import dualres, sys; print([m for m in {heavy!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
