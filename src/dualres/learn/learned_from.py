"""What a model remembers of the recordings that it learned from."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from dualres.judge.training_profile import Range, TrainingProfile, bandwidth, crest, level, rounded
from dualres.learn.support import Support
from dualres.recordings.recording import Recording
from dualres.recordings.windows import covered


def learned_from(recordings: Sequence[Recording], support: Support, rate: int) -> dict[str, Any]:
    """For a card: names, rates and units of the recordings, and by their windows at `rate` Hz how they looked.

    No recording is read again.
    """
    of_recording: dict[str, list[int]] = defaultdict(list)  # positions of windows
    for position, (name, _) in enumerate(support.origins):
        of_recording[name].append(position)
    looks: dict[str, list[float]] = defaultdict(list)
    for positions in of_recording.values():
        for axis in support.axes:
            windows = axis[positions]
            looks["level"].append(level(windows))
            looks["crest"].append(crest(windows))
            looks["bandwidth_hz"].append(bandwidth(windows[len(windows) // 2], rate))
        starts = [support.origins[position][1] for position in positions]
        looks["seconds"].append(covered(starts, windows.shape[1]) / rate)
    ranges: dict[str, Range] = {name: (rounded(min(each)), rounded(max(each))) for name, each in looks.items()}
    return TrainingProfile.of(recordings, ranges).as_data()
