"""Libraries that come with an extra of this package, and the one sentence that is said where one is missing."""

from importlib.util import find_spec

from dualres.errors import ConfigError

# A library as Python imports it -> its name and the extra that brings it.
LIBRARIES = {
    "torch": ("PyTorch", "train"),
    "scipy": ("SciPy", "train"),
    "sklearn": ("scikit-learn", "train"),
    "matplotlib": ("Matplotlib", "train"),
    "scipy.io": ("SciPy", "mat"),
    "h5py": ("h5py", "mat"),
    "pyarrow": ("PyArrow", "formats"),
    "nptdms": ("npTDMS", "formats"),
    "pyuff": ("pyuff", "formats"),
    "openpyxl": ("openpyxl", "formats"),
    "soxr": ("soxr", "soxr"),
    "ray": ("Ray", "cluster"),
    "onnx": ("ONNX", "export"),
    "onnxruntime": ("ONNX Runtime", "export"),
    "pandas": ("pandas", "notebook"),
    "fsspec": ("fsspec", "remote"),
    "paho": ("Paho MQTT", "live"),
    "serial": ("pySerial", "live"),
    "tsfresh": ("tsfresh", "peers"),
    "lightgbm": ("LightGBM", "peers"),
}
TRAINING = ("torch", "scipy", "sklearn", "matplotlib")  # whatever learns, compares or reports takes some of them


def need(what: str, *libraries: str) -> None:
    """An error that says how to get the first of the libraries that is missing for `what`; none is imported."""
    for library in libraries:
        if not is_there(library):
            raise missing(what, library)


def missing(what: str, library: str) -> ConfigError:
    """The error that `what` needs a library."""
    return ConfigError(sentence(what, library))


def sentence(what: str, library: str) -> str:
    """What is missing for `what`, and how to get it; a library is named as it is imported, or one of its modules is."""
    known = LIBRARIES.get(library) or LIBRARIES.get(library.partition(".")[0])
    name, package = (known[0], f"'dualres[{known[1]}]'") if known else (library, library)
    return f"{what} needs {name}: pip install {package}"


def is_extra(library: str | None) -> bool:
    """Whether a module is one that an extra brings."""
    return library is not None and library.partition(".")[0] in LIBRARIES


def is_there(library: str) -> bool:
    """Whether a library is installed; it is not imported."""
    try:
        return find_spec(library.partition(".")[0]) is not None
    except ImportError:
        return False
