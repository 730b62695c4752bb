"""What extras and tests bring, and a finder of modules that says there is none of it."""

from importlib.machinery import ModuleSpec

HIDDEN = {
    *(
        "torch",
        "scipy",
        "sklearn",
        "matplotlib",
        "h5py",
        "joblib",
        "threadpoolctl",
        "pandas",
        "xarray",
        "fsspec",
        "numba",
        "aeon",
        "triton",
    ),
    *("onnx", "onnxruntime", "ray", "soxr", "pyarrow", "nptdms", "pyuff", "openpyxl", "paho", "serial"),
}


class Hiding:
    """Asked before any other."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None
