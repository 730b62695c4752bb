"""The scikit-learn face of DualRes.

It follows scikit-learn's contract without deriving from its classes, so that a fitted or loaded classifier predicts
where neither scikit-learn nor PyTorch is installed. A fit needs both.
"""

import inspect
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.judge.model import Model
from dualres.judge.verdict import channels_to_read, recording_scores
from dualres.model.kinds import chosen_recipe
from dualres.recordings.frames import is_frame
from dualres.recordings.readers import Channel, Recorded, Usual, read
from dualres.recordings.recording import Recording
from dualres.utils.optional_imports import need

Signals: TypeAlias = npt.NDArray[Any]  # of one measurement, (channels, samples)
Known: TypeAlias = "Recorded | Signals"  # one measurement


class DualResClassifier:
    """Name the fault in each vibration signal.

    `X` is a list of `Recording`s, of paths of files or of tables as `dualres.read` takes them, which may differ in
    length and rate; a list of arrays (channels, samples), as aeon has collections of unequal length; or a 2-D array
    with one signal per row. Each signal is at least one window (0.512 s at 64 kHz) long; an array needs a `rate`. A
    signal is cut into half-overlapping windows; its class probabilities are the mean over them. Of files, a fitted or
    loaded classifier reads the channel, and takes the rate where they state none, that it learned from.

    Several axes of one measurement are a 3-D array, (signals, axes, samples), a list of such measurements, or
    recordings with `axes`, all with the same. Each axis has a network of its own then, and their probabilities are
    averaged; axes of an array go by their numbers, those of recordings by their names.

    Parameters
    ----------
    recipe
        How it learns, by name. "orders", the default, fits a network of orders in closed form, and "views" one that
        knows no speeds. "paper" and "robust" train the paper's network; "robust" also shows each window through random
        transfer paths.
    updates, learning_rate, decay
        What is to differ from the recipe; see `Recipe`. Where one is given and no recipe is, the recipe is "robust".
    rate
        Sampling rate in Hz of the rows of an array, which does not say it, and of files that do not. Recordings bring
        theirs.
    members
        The number of networks, fitted with the seed and those that follow it; their probabilities are averaged. A fit
        and a verdict cost as many times as much. Those of orders and views would all be the same, and one is kept.
    windows_per_signal
        The most windows of each signal that enter a fit, spread over it.
    config
        Sizes of the network; None means the paper's.
    random_state
        Seed of the initial weights, the support's order, jitter, dropout, and the recipe's paths and mixtures.
    device
        Where to compute, as PyTorch names it: "cpu", "cuda" ...

    Attributes
    ----------
    classes_ : the labels, sorted
    model_ : the trained `Model`, which `dualres.save` writes to a file
    history_ : loss and learning rate of every update, of one member after the other; orders and views make none
    n_features_in_ : samples per row, where X was an array; of a 3-D one the number of axes
    """

    def __init__(
        self,
        *,
        recipe: str | None = None,
        updates: int | None = None,
        learning_rate: float | None = None,
        decay: float | None = None,
        rate: Fraction | int | float | None = None,
        members: int = 1,
        windows_per_signal: int = 12,
        config: ModelConfig | None = None,
        random_state: int | np.random.RandomState | None = 41,
        device: str = "cpu",
    ) -> None:
        self.recipe, self.updates, self.learning_rate, self.decay = recipe, updates, learning_rate, decay
        self.rate, self.members, self.windows_per_signal = rate, members, windows_per_signal
        self.config, self.random_state, self.device = config, random_state, device

    @classmethod
    def from_model(cls, model: Model, **parameters: Any) -> Self:
        """A fitted classifier around a model, such as `dualres.load` reads; its labels are the names of the classes."""
        made = cls(**parameters)
        made.model_, made.classes_ = model, np.array(model.names)
        return made

    def fit(self, X: npt.ArrayLike | Sequence[Known], y: npt.ArrayLike) -> Self:
        """Train on labelled signals."""
        need("DualResClassifier.fit", "torch", "scipy", "sklearn")
        from sklearn.utils.multiclass import check_classification_targets

        from dualres.learn.fit import fit_recordings
        from dualres.learn.settings import FitSettings

        recordings, y = self._labelled(X, y)
        check_classification_targets(y)
        self.classes_, targets = np.unique(y, return_inverse=True)
        names = [str(c) for c in self.classes_]
        settings = FitSettings(
            recipe=chosen_recipe(self.recipe, updates=self.updates, learning_rate=self.learning_rate, decay=self.decay),
            windows_each=self.windows_per_signal,
            seed=self._seed(),
            members=self.members,
            config=self.config or ModelConfig(),
            device=self.device,
        )
        settings.check(recordings, names)
        self.model_, self.history_ = fit_recordings(recordings, [names[t] for t in targets], names, settings)
        return self

    def predict_proba(self, X: npt.ArrayLike | Sequence[Known]) -> npt.NDArray[np.float64]:
        """Probabilities of the classes, (signals, classes), columns as in `classes_`."""
        self._check_fitted()
        model = self.model_
        given: Sequence[Known] = X if _are_recordings(X) else self._rows(self._finite(X))
        channel, usual = channels_to_read(model, None), model.training_profile
        each = (self._recording(one, channel, usual, number=number) for number, one in enumerate(given))
        return np.stack([recording_scores(model, one)[0] for one in each])

    def predict(self, X: npt.ArrayLike | Sequence[Known]) -> npt.NDArray[Any]:
        """The most probable class of each signal."""
        winners = self.predict_proba(X).argmax(1)  # first, for it refuses what is not fitted
        return np.asarray(self.classes_[winners])

    def score(
        self, X: npt.ArrayLike | Sequence[Known], y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> float:
        """The share of signals that are named right, or of their weights."""
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of `__init__` and their values; `deep` changes nothing, for none of them has its own."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **parameters: Any) -> Self:
        """Change some of the parameters of `__init__`."""
        for name, value in parameters.items():
            if name not in self.get_params():
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {list(self.get_params())}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = {name: value for name, value in self.get_params().items() if value is not defaults[name].default}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: the model without PyTorch, which whoever reads it may not have."""
        held = {"model_": self.model_.without_torch()} if hasattr(self, "model_") else {}
        return vars(self) | held

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(three_d_array=True),
        )

    def _check_fitted(self) -> None:
        if hasattr(self, "model_"):
            return
        said = f"this {type(self).__name__} is not fitted yet: call fit, or make one by from_model"
        try:
            from sklearn.exceptions import NotFittedError
        except ModuleNotFoundError:
            raise ConfigError(said) from None
        raise NotFittedError(said)

    def _seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        from sklearn.utils import check_random_state

        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _labelled(self, X: Any, y: Any) -> tuple[Sequence[Recording], Any]:
        if not _are_recordings(X):
            rows, y = self._valid(X, y, ensure_min_features=2)
            return self._rows(rows), y
        y = np.asarray(y)
        if y.shape != (len(X),):
            raise ConfigError(f"{len(X)} recordings came with labels of shape {y.shape}")
        return [self._recording(x, number=number) for number, x in enumerate(X)], y

    def _valid(self, *data: Any, **how: Any) -> Any:
        from sklearn.utils.validation import validate_data

        return validate_data(self, *data, dtype=np.float32, allow_nd=getattr(data[0], "ndim", 2) == 3, **how)

    def _finite(self, X: Any) -> npt.NDArray[np.float32]:
        """Signals to judge. What is not plainly an array of finite numbers is for scikit-learn to convert or refuse."""
        if type(X) is np.ndarray and X.dtype.kind in "fiub" and X.ndim in (2, 3) and X.size:
            with np.errstate(over="ignore"):
                rows = X.astype(np.float32, copy=False)
            as_fitted = X.shape[1] == getattr(self, "n_features_in_", X.shape[1])
            if as_fitted and not hasattr(self, "feature_names_in_") and np.isfinite(rows).all():
                return rows
        try:
            valid: npt.NDArray[np.float32] = self._valid(X, reset=False)
        except ModuleNotFoundError:
            features = getattr(self, "n_features_in_", "any number of")
            raise ConfigError(
                f"X must be a list of Recordings, or an array of finite numbers, (signals, samples) or (signals, axes, "
                f"samples), with {features} along its second axis"
            ) from None
        return valid

    def _recording(
        self, given: Known, channel: Channel = None, usual: Usual | None = None, *, number: int = 0
    ) -> Recording:
        """As given, what is in the file of that path or in that table, or of an array, which goes by its number."""
        if isinstance(given, np.ndarray):
            return self._row(given, number)
        return given if isinstance(given, Recording) else read(given, channel, self.rate, usual=usual)

    def _rows(self, rows: npt.NDArray[np.float32]) -> list[Recording]:
        return [self._row(row, number) for number, row in enumerate(rows)]

    def _row(self, row: Signals, number: int) -> Recording:
        """One signal, (samples,), or the axes of one measurement, (channels, samples)."""
        rate = self.rate
        if rate is None:
            raise ConfigError(
                f"an array does not say its sampling rate: give it in Hz, {type(self).__name__}(rate=12800) or "
                "set_params(rate=12800), or give Recordings or paths of files"
            )
        if row.ndim == 2 and len(row) > 1:
            axes = {str(axis): samples for axis, samples in enumerate(row, start=1)}
            return Recording.from_axes(axes, rate, id=f"row {number}")
        return Recording.from_array(row.reshape(-1), rate, id=f"row {number}")


def _are_recordings(X: Any) -> TypeGuard[Sequence[Known]]:
    def known(x: object) -> bool:
        return isinstance(x, Recording | Path | str) or (isinstance(x, np.ndarray) and x.ndim == 2) or is_frame(x)

    return isinstance(X, list | tuple) and len(X) > 0 and all(map(known, X))
