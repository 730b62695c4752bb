"""A machine whose bearing strikes 3.58 times in a turn, hums only, or is out of balance."""

import numpy as np

RATE, SECONDS, ORDER = 12_800, 4, 3.58
ORDERS = f"outer={ORDER},inner=5.42"


def knocking(hz, seed, *, knocks=True):
    """Of a shaft that turns `hz` times a second: float32, (samples,)."""
    rng, t = np.random.default_rng(seed), np.arange(SECONDS * RATE) / RATE
    impacts = np.zeros(len(t))
    moments = np.arange(1, SECONDS * hz * ORDER) / (hz * ORDER)
    impacts[(moments * RATE).astype(int)[:-1]] = 8 * knocks
    ring = np.exp(-np.arange(80) / 12) * np.sin(1.3 * np.arange(80))
    hum = sum(size * np.sin(2 * np.pi * k * hz * t) for k, size in ((1, 0.5), (2, 0.3), (3, 0.2), (4, 0.15)))
    return (rng.standard_normal(len(t)) + hum + np.convolve(impacts, ring)[: len(t)]).astype(np.float32)


def turning(hz, seed, unbalance=0.0):
    """As `knocking`, of a shaft that is always heard once a turn, and felt, the more it is out of balance."""
    rng, angle = np.random.default_rng(seed), 2 * np.pi * hz * np.arange(SECONDS * RATE) / RATE
    pressed = 1 + (0.15 + 0.5 * unbalance) * np.cos(angle)
    heard = (0.6 + 2 * unbalance) * np.cos(angle) + 0.2 * np.cos(2 * angle)
    return (pressed * rng.standard_normal(len(angle)) + heard).astype(np.float32)
