"""Series whose levels grow, or do not."""

import numpy as np

from dualres.explain.trend.levels import BANDS, RecordingLevels, band_edges
from dualres.explain.trend.series import TrendPoint

RATE = 12_800.0
DAY = 86_400.0


def growing(count, begin, db, seed=0, noise=0.5):
    """Levels in dB that grow by `db` from a recording on to the last one."""
    rise = db * np.clip((np.arange(count) - begin) / max(count - 1 - begin, 1), 0, None)
    return rise + noise * np.random.default_rng(seed).standard_normal(count)


def remembering(count, share, rng):
    values = rng.standard_normal(count)
    for place in range(1, count):
        values[place] = share * values[place - 1] + np.sqrt(1 - share**2) * values[place]
    return values


def points(level_db, **known):
    """A recording a day, all of whose bands follow the level; `known` has further levels, one for each."""
    found = []
    for number, db in enumerate(level_db):
        level = float(10 ** (db / 20))
        more = {name: values[number] for name, values in known.items()}
        condition = {name: str(more.pop(name)) for name in ("load",) if name in more}
        levels = RecordingLevels(
            RATE,
            2.0,
            level,
            3.0,
            4.0,
            3.0,
            tuple(level / 3 for _ in range(BANDS)),
            tuple(band_edges(RATE).tolist()),
            **more,
        )
        found.append(TrendPoint(f"{number}.wav", number * DAY, f"day {number}", levels, condition))
    return found
