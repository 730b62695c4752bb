"""The embedded rig: a two-stage gearbox with bearings, simulated from first principles.

A motor drives an input shaft; 29 teeth mesh with 95 on the intermediate shaft, and 36 there with 90 on the output
shaft. Every fault sits on the intermediate shaft: on its 36-tooth gear and, in two classes, also in its bearing. What
the sensor hears is built in the order in which it arises:

1. a speed and a torque profile that vary within the recording (`_operate`);
2. mesh forces with harmonics and sidebands, and impacts once per revolution, per pitted tooth or per rolling element,
   the latter with slip (`_gear_forces`, `_rolling_impacts`); a coupling that knocks once per input revolution, and
   blows from elsewhere (`_coupling_forces`, `knocks`);
3. structural resonances that ring differently after every assembly and in every campaign (`_Path`);
4. broadband and pink noise, a gain, an offset, and now and then a clipped sensor (`with_noise`, `amplified`).

States and conditions are those of MCC5-THU: eight classes; six of them at severities L, M and H; two motion modes of
six conditions each: 240 recordings, here of 12 s at 12.8 kHz. The level of a recording is set by its amplifier, not by
its fault.
"""

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from fractions import Fraction
from functools import partial
from importlib import resources

import numpy as np

from dualres.recordings.recording import Origin, Recording, Samples
from dualres.recordings.speed import Speed
from dualres.recordings.tachometer import STEP_S
from dualres.simulated import vibration as physics
from dualres.simulated.vibration import Waveform

NAME = "simulated"
FOLDS = resources.files("dualres.simulated") / "folds"  # how the rig is split, frozen: S1 and S2
CHANNEL = "gearbox housing"
RATE = 12_800  # Hz
DURATION = 12  # s
SEED = 2024

STATES = ("healthy", "missing_teeth", "wear", "pitting", "crack", "break", "break+inner", "break+outer")
WITHOUT_SEVERITY = ("healthy", "missing_teeth")
SEVERITIES = ("L", "M", "H")
MODES = ("speed", "torque")  # which of the two circulates within a recording
SPEEDS = (1000, 2000, 3000)  # rpm of the motor
TORQUES = (10, 20)  # Nm at the gearbox's input
CLASSES = STATES

FIRST_PAIR = (29, 95)  # teeth
SECOND_PAIR = (36, 90)
INNER_ORDER, OUTER_ORDER = 5.43, 3.57  # rolling-element passes per shaft revolution

# The profile of the varying quantity, as a share of its set value.
PROFILE_S = (0.0, 1.6, 4.2, 5.0, 6.4, 7.2, 10.4, 12.0)
PROFILE = (0.45, 1.0, 1.0, 0.8, 0.8, 1.0, 1.0, 0.45)

_MODES_HZ = (410.0, 870.0, 1490.0, 2350.0, 3420.0, 4810.0)
_MODES_DAMPING = (0.035, 0.028, 0.022, 0.018, 0.016, 0.014)


@dataclass(frozen=True)
class GearboxSetting:
    """One recording: a state at a severity, under a condition."""

    label: str
    severity: str | None
    mode: str
    rpm: int
    torque: int  # Nm

    @property
    def condition(self) -> dict[str, str]:
        severity = self.severity or "-"
        return {"severity": severity, "mode": self.mode, "rpm": str(self.rpm), "torque": str(self.torque)}


GEARBOX_SETTINGS = tuple(
    GearboxSetting(label, severity, mode, rpm, torque)
    for label in STATES
    for severity in ((None,) if label in WITHOUT_SEVERITY else SEVERITIES)
    for mode in MODES
    for rpm in SPEEDS
    for torque in TORQUES
)


class RigSetting(GearboxSetting):
    """One recording of the rig, which imitates one of MCC5-THU."""

    @property
    def state(self) -> str:
        """The gear and bearing fitted: a class at a severity, assembled once."""
        name = self.label.replace("+", "_")
        return f"{name}_{self.severity}" if self.severity else name

    @property
    def id(self) -> str:
        return f"{self.state}_{self.mode}_{self.rpm}rpm_{self.torque}Nm"


def settings() -> Iterator[RigSetting]:
    """All 240, class by class."""
    return (RigSetting(*astuple(setting)) for setting in GEARBOX_SETTINGS)


def recordings(seed: int = SEED) -> list[Recording]:
    """The rig's recordings; a signal is simulated when it is asked for, the same each time."""
    rate, origin = Fraction(RATE), Origin(channel=CHANNEL)
    return [
        Recording(
            one.id,
            partial(simulate, one, seed),
            rate,
            one.label,
            one.state,
            one.condition,
            origin,
            speed=_speed(one, seed),
        )
        for one in settings()
    ]


def _speed(setting: RigSetting, seed: int) -> Speed:
    """Of the intermediate shaft, which carries every fault, as a tachometer would measure it."""
    t = np.arange(0, DURATION + STEP_S / 2, STEP_S, dtype=np.float64)
    motor, _ = _operate(setting, physics.generator(seed, setting.id), t)
    return Speed(tuple((motor * FIRST_PAIR[0] / FIRST_PAIR[1]).tolist()), tuple(t.tolist()), "measured")


def simulate(setting: RigSetting, seed: int = SEED) -> Samples:
    """The signal of one setting, float32, `DURATION` seconds at `RATE` Hz."""
    rng = physics.generator(seed, setting.id)
    path = _Path(physics.generator(seed, "campaign", setting.mode), physics.generator(seed, "assembly", setting.state))
    speed, torque = _operate(setting, rng, np.arange(DURATION * RATE) / RATE)
    shaft = 2 * np.pi * np.cumsum(speed) / RATE * FIRST_PAIR[0] / FIRST_PAIR[1]  # intermediate shaft, rad
    effort = (torque / 15.0) ** 0.7 * (speed / 33.0) ** 0.5  # forces grow with load and speed
    forces = {
        "gear": _gear_forces(setting, shaft, effort, build=physics.generator(seed, "gear", setting.state), rng=rng),
        "frame": _coupling_forces(shaft, effort, rng) + physics.knocks(len(shaft), DURATION, 3.7, rng),
    }
    ring = setting.label.partition("+")[2]
    if ring and setting.severity:
        forces[ring] = effort * _rolling_impacts(ring, SEVERITIES.index(setting.severity), shaft, rng)
    return physics.amplified(physics.with_noise(path.through(forces), rng), rng)


def _operate(setting: RigSetting, rng: np.random.Generator, t: Waveform) -> tuple[Waveform, Waveform]:
    """Motor speed in revolutions per second and input torque in Nm, at moments in s."""
    corners = np.array(PROFILE_S)
    corners[1:-1] += rng.uniform(-0.2, 0.2, len(corners) - 2)
    varying = np.interp(t, corners, PROFILE)
    speed = setting.rpm / 60 * (1 + 0.006 * physics.wander(t, DURATION, rng))
    torque = setting.torque * (1 + 0.05 * physics.wander(t, DURATION, rng))
    if setting.mode == "speed":
        speed = speed * varying
    else:
        torque = torque * varying
        speed = speed * (1.0 - 0.012 * torque / max(TORQUES))  # the motor slips under load
    return speed, torque


# Per severity: how much of the mesh force a damaged tooth loses, how far it lets the phase slip (rad), and how hard
# the next tooth hits. Missing teeth count as the last entry of their own.
_LOSS = {"crack": (0.40, 0.55, 0.70), "break": (0.55, 0.75, 0.95), "missing_teeth": (1.0,)}
_SLIP = {"crack": (0.40, 0.50, 0.60), "break": (0.15, 0.20, 0.25), "missing_teeth": (0.3,)}
_HIT = {"crack": (0.0, 0.0, 0.4), "break": (1.9, 2.5, 3.2), "missing_teeth": (3.0,)}
_PITTED_TEETH = (7, 10, 14)
_PIT_HIT = (0.7, 0.8, 1.0)
_WEAR = (0.45, 0.7, 1.0)
_BEARING_HIT = (1.4, 1.8, 2.2)
_BLOW = 5.8  # of an impact of unit strength, which lasts one sample


def _gear_forces(
    setting: RigSetting, shaft: Waveform, effort: Waveform, *, build: np.random.Generator, rng: np.random.Generator
) -> Waveform:
    """Mesh forces and the gear's fault; `build` draws what stays with the gear, `rng` what differs in recordings."""
    grade = SEVERITIES.index(setting.severity) if setting.severity else 0
    fault = setting.label.partition("+")[0]
    worn = _WEAR[grade] if fault == "wear" else 0.0
    harmonics = np.array([1.0, 0.5, 0.3, 0.18, 0.1]) * build.lognormal(0, 0.25, 5)
    harmonics *= 1 + worn * np.array([-0.3, 0.8, 1.0, 1.2, 1.4])
    # No gear is perfect: every tooth carries a little more or less, which puts sidebands around the mesh.
    teeth = 1 + (0.05 + 0.12 * worn) * build.standard_normal(SECOND_PAIR[0])
    bad_tooth = int(build.integers(SECOND_PAIR[0]))
    loss, slip, hits = (np.zeros_like(shaft) for _ in range(3))
    if fault in _LOSS:
        near = physics.tooth_window(shaft, SECOND_PAIR[0], bad_tooth, width=0.8 if fault != "missing_teeth" else 1.6)
        loss, slip = _LOSS[fault][grade] * near, _SLIP[fault][grade] * near
        missing = 2 if fault == "missing_teeth" else 1
        hits += _hits(shaft, [bad_tooth + 1 + j for j in range(missing)], _HIT[fault][grade], scatter=0.25, rng=rng)
    elif fault == "pitting":
        pitted = build.choice(SECOND_PAIR[0], _PITTED_TEETH[grade], replace=False)
        hits += _hits(shaft, pitted.tolist(), _PIT_HIT[grade], scatter=0.8, rng=rng)
    carried = physics.per_tooth(shaft, teeth) * (1 - loss)
    second = carried * physics.mesh(shaft * SECOND_PAIR[0] + slip, harmonics, rng)
    rubbing = worn * 0.9 * np.abs(np.cos(shaft * SECOND_PAIR[0] / 2)) * rng.standard_normal(len(shaft))
    first_harmonics = np.array([0.8, 0.4, 0.2]) * build.lognormal(0, 0.25, 3)
    eccentric = 1 + build.uniform(0.05, 0.2) * np.cos(shaft + build.uniform(0, 2 * np.pi))
    first = eccentric * physics.mesh(shaft * FIRST_PAIR[1], first_harmonics, rng)
    return np.asarray(effort * (first + second + rubbing + hits))


def _rolling_impacts(ring: str, grade: int, shaft: Waveform, rng: np.random.Generator) -> Waveform:
    angles = physics.slipping(INNER_ORDER if ring == "inner" else OUTER_ORDER, shaft[-1], rng)
    strength = _BEARING_HIT[grade] * (1 + 0.3 * rng.standard_normal(len(angles)))
    if ring == "inner":  # the damage turns through the load zone once per revolution
        strength *= np.clip(0.45 + 0.75 * np.cos(angles), 0, None)
    return physics.impulses(shaft, angles, _BLOW * strength)


def _coupling_forces(shaft: Waveform, effort: Waveform, rng: np.random.Generator) -> Waveform:
    """The motor's coupling knocks once per input revolution, harder or softer as it happened to be tightened."""
    turn = 2 * np.pi * FIRST_PAIR[0] / FIRST_PAIR[1]  # of the intermediate shaft, while the input shaft turns once
    angles = np.arange(rng.uniform(0, turn), shaft[-1], turn)
    strength = rng.lognormal(-0.3, 0.8) * rng.lognormal(0, 0.3, len(angles))
    return effort * physics.impulses(shaft, angles, _BLOW * strength)


def _hits(shaft: Waveform, teeth: list[int], strength: float, *, scatter: float, rng: np.random.Generator) -> Waveform:
    """Impacts each time one of the given teeth meshes."""
    angles = physics.every_turn(np.array(teeth) / SECOND_PAIR[0], shaft[-1])
    return physics.impulses(shaft, angles, _BLOW * (strength * rng.lognormal(0, scatter, len(angles))))


class _Path:
    """From a force in the gearbox to the sensor: a few ringing modes, which campaign and assembly move a little."""

    def __init__(self, campaign: np.random.Generator, assembly: np.random.Generator) -> None:
        count = len(_MODES_HZ)
        self.hz = np.array(_MODES_HZ)
        self.shares = {
            "gear": np.ones(count),
            "inner": np.geomspace(1.5, 0.8, count),  # the long way, through shaft and rolling elements
            "outer": np.geomspace(0.3, 2.0, count),  # its ring sits in the housing, close to the sensor
            "frame": np.geomspace(1.5, 0.1, count),
        }
        for drift, spread, rng in ((0.006, 0.1, campaign), (0.004, 0.08, assembly)):
            self.hz = self.hz * (1 + drift * rng.standard_normal(count))
            for force, share in self.shares.items():
                self.shares[force] = share * rng.lognormal(0, spread, count)

    def through(self, forces: dict[str, Waveform]) -> Waveform:
        return physics.ringing(
            0.15 * forces["gear"], forces, self.shares, hz=self.hz, damping=_MODES_DAMPING, rate=RATE
        )
