"""One family of errors: each message names the file or value at fault and what to do about it."""


class DualResError(Exception):
    """Anything the user can put right; the command line prints its message without a traceback."""


class ConfigError(DualResError, ValueError):
    """A setting, or a combination of settings, that cannot work."""


class RecordingError(DualResError, ValueError):
    """A recording that cannot be used as it is."""


class OutputError(DualResError):
    """A place where nothing can be written."""


class ModelFileError(DualResError):
    """A file that is not an intact DualRes model."""


class ExportError(DualResError):
    """An export that does not compute what the model computes, or that could not be checked."""


# What code that counts on types and sizes raises at data that somebody else wrote; a reader makes one of ours of them.
MISFIT = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RuntimeError, MemoryError)


def reason_of(error: BaseException) -> str:
    """An error in a few words; a name that is missing says no more than itself."""
    return f"there is no {error}" if isinstance(error, KeyError) else str(error)
