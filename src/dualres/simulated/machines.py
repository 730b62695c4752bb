"""A family of simulated machines: as many as one wants, no two alike, each with its own faults, loads and speeds.

Machine k of a seed is always the same machine. Its data sheet (`Machine`) is drawn at random: the bearing's geometry, a
pair of gears or none, three speeds, two loads, the sensor's rate and how long a recording is. Its classes are good;
faults of the shaft (unbalance, misalignment, and a bent shaft or looseness); of the bearing (inner, outer, ball); and,
where there are gears, a broken tooth and wear. Every class has a light and a heavy specimen (two assemblies of a good
machine), and every specimen is recorded once at each speed and load. What the sensor hears:

1. a shaft that turns almost steadily and slips a little under load (`_turning`);
2. lines at multiples of the shaft's rate, and friction that rises and falls with them (`_shaft_lines`, `_friction`);
3. rolling elements that strike a damaged place at the rates that `Bearing` gives, with slip; the load zone makes an
   inner ring's blows come and go with the shaft and a ball's with the cage (`_rolling_impacts`);
4. mesh forces with sidebands, and what a broken or worn tooth does to them (`_gear_forces`);
5. modes of the structure, this machine's own; a load moves and mixes them, an assembly a little, too (`_Structure`);
6. blows from elsewhere, hum of the mains, white and pink noise, and a gain that tells nothing of the machine.

Load changes how hard things strike, how narrow the load zone is, and the path to the sensor. `held_out` splits a
machine's recordings by load, by speed or by specimen. How strong everything is was set by hand, in a few rounds on the
first machines of the default seed: until fault lines stood out, and until linear models on mean spectra and on
modulation spectra, over another load, were far from chance and from perfect, with scores of a real rig in mind. So it
is no independent evidence that modulation helps. A score on it says nothing of a real machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Literal, get_args

import numpy as np

from dualres.errors import ConfigError
from dualres.faultlines.bearing import Bearing
from dualres.recordings.recording import Origin, Recording, Samples
from dualres.recordings.speed import Speed
from dualres.simulated import vibration as physics
from dualres.simulated.vibration import Waveform

NAME = "machines"
NUMBERS = range(10, 16)  # of the dataset `machines`; nobody had looked at these when its folds were frozen
CHANNEL = "bearing housing"
SEED = 2024
RATES = (12_000, 12_800, 16_000, 20_000, 25_600, 32_000, 48_000, 51_200)  # Hz
SEVERITIES = ("light", "heavy")
AXES = ("x", "y", "z")  # of a sensor that feels three directions

SHAFT_FAULTS = ("unbalance", "misalignment", "bent_shaft", "looseness")
BEARING_FAULTS = ("inner", "outer", "ball")
GEAR_FAULTS = ("broken_tooth", "wear")
CLASSES = ("good", *SHAFT_FAULTS, *BEARING_FAULTS, *GEAR_FAULTS)  # of all machines; none has every one

Unit = Literal["load", "speed", "specimen"]


@dataclass(frozen=True)
class Machine:
    """A machine's data sheet. What is not on it, such as its modes, follows from seed and number as well."""

    number: int
    seed: int
    rate: int  # Hz, of the sensor
    seconds: float  # of each recording
    speeds: tuple[int, int, int]  # rpm of the shaft, rising
    loads: tuple[int, int]  # percent, rising
    bearing: Bearing
    teeth: tuple[int, int] | None  # of the shaft's gear and of its mate; None where there are no gears
    mains: int  # Hz
    classes: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"m{self.number}"

    def generator(self, *names: str) -> np.random.Generator:
        return physics.generator(self.seed, self.name, *names)


def machine(number: int, seed: int = SEED) -> Machine:
    """Machine `number` of the family that `seed` founds."""
    rng = physics.generator(seed, f"m{number}")
    slowest = rng.uniform(900, 1800)
    slow, middle, fast = (10 * round(rpm / 10) for rpm in np.cumprod([slowest, *rng.uniform(1.15, 1.45, 2)]).tolist())
    geared = rng.random() < 0.6
    return Machine(
        number,
        seed,
        rate=int(rng.choice(RATES)),
        seconds=round(rng.uniform(2, 4), 1),
        speeds=(slow, middle, fast),
        loads=(int(rng.integers(15, 40)), int(rng.integers(65, 101))),
        bearing=Bearing(int(rng.integers(7, 14)), rng.uniform(0.16, 0.28), float(rng.choice([0, 0, 15]))),
        teeth=(int(rng.integers(17, 38)), int(rng.integers(41, 97))) if geared else None,
        mains=int(rng.choice([50, 60])),
        classes=(
            *("good", "unbalance", "misalignment", str(rng.choice(["bent_shaft", "looseness"]))),
            *BEARING_FAULTS,
            *(GEAR_FAULTS if geared else ()),
        ),
    )


@dataclass(frozen=True)
class MachineSetting:
    """One recording of a machine."""

    label: str
    severity: str  # of the specimen; of a good machine it names one of two assemblies
    speed: int  # rpm
    load: int  # percent

    @property
    def specimen(self) -> str:
        return f"{self.label}_{self.severity}"

    @property
    def id(self) -> str:
        return f"{self.specimen}_{self.speed}rpm_{self.load}pc"

    @property
    def condition(self) -> dict[str, str]:
        return {"severity": self.severity, "speed": str(self.speed), "load": str(self.load)}


def settings(machine: Machine) -> list[MachineSetting]:
    """Class by class, every specimen at every speed and load."""
    return [MachineSetting(*one) for one in product(machine.classes, SEVERITIES, machine.speeds, machine.loads)]


def recordings(machine: Machine) -> list[Recording]:
    """A machine's recordings; a signal is simulated when it is asked for, the same each time."""
    rate, origin, name = Fraction(machine.rate), Origin(channel=CHANNEL), machine.name
    return [
        Recording(
            f"{name}_{one.id}",
            partial(simulate, machine, one),
            rate,
            one.label,
            f"{name}_{one.specimen}",
            one.condition,
            origin,
            speed=Speed.of_rpm(one.speed),
        )
        for one in settings(machine)
    ]


def held_out(
    recordings: Sequence[Recording], unit: Unit, reverse: bool = False
) -> tuple[list[Recording], list[Recording]]:
    """What may be learned from and what is only judged, of one machine.

    Judged is the higher load, the highest speed, or the heavy specimen of every class; with `reverse` the lower load,
    the lowest speed, or the light specimens.
    """
    if unit not in get_args(Unit):
        raise ConfigError(f"{unit!r} cannot be held out; choose from {', '.join(get_args(Unit))}")
    values = [recording.condition["severity" if unit == "specimen" else unit] for recording in recordings]
    rising = SEVERITIES if unit == "specimen" else sorted(set(values), key=int)
    split: tuple[list[Recording], list[Recording]] = ([], [])
    for recording, value in zip(recordings, values, strict=True):
        split[value == rising[0 if reverse else -1]].append(recording)
    return split


def family() -> list[Recording]:
    """The recordings of the dataset, machine by machine."""
    return [recording for number in NUMBERS for recording in recordings(machine(number))]


def split(machine: Machine, unit: Unit) -> tuple[list[Recording], list[Recording]]:
    """As `held_out`, in the direction that the machine's frozen folds take: odd numbers are reversed."""
    return held_out(recordings(machine), unit, reverse=machine.number % 2 == 1)


def simulate(machine: Machine, setting: MachineSetting) -> Samples:
    """The signal of one setting, float32, at the machine's rate and of its length."""
    run = _Run(machine, setting, machine.generator(setting.id))
    return _sensed(run, _Structure(machine, setting).through(*_forces(run)), run.rng)


def simulate_axes(machine: Machine, setting: MachineSetting) -> dict[str, Samples]:
    """As `simulate`, by a sensor that feels three directions at once: x and y across the shaft, z along it.

    The forces are the same for all. Every mode moves in a direction of its own, so that each axis hears another mixture
    of them, and each has noise and a gain of its own.
    """
    run = _Run(machine, setting, machine.generator(setting.id))
    (lines, forces), structure = _forces(run), _Structure(machine, setting)
    directions = machine.generator("directions").standard_normal((len(AXES), len(structure.hz)))
    directions /= np.sqrt((directions**2).mean(0))
    signals = {}
    for axis, along in zip(AXES, directions, strict=True):
        rng = machine.generator(setting.id, axis)
        felt = 0.3 if axis == "z" else 1.0  # what bends a shaft moves it sideways
        signals[axis] = _sensed(run, structure.through(felt * lines, forces, along), rng)
    return signals


def worn(machine: Machine, setting: MachineSetting, size: float, moment: str) -> Waveform:
    """What a sensor of a steady gain feels at one moment of a machine's life, when its fault has grown to `size`.

    The fault is the setting's; size 0 is none, and 1 a heavy one.
    """
    run = _Run(machine, setting, machine.generator(setting.id, moment))
    run.size = size
    return physics.with_noise(_Structure(machine, setting).through(*_forces(run)), run.rng)


def _forces(run: "_Run") -> tuple[Waveform, dict[str, Waveform]]:
    """What reaches the sensor directly, and what the modes are excited by."""
    return _shaft_lines(run), {
        "bearing": _friction(run) + _rolling_impacts(run),
        "gear": _gear_forces(run),
        "frame": run.blow * physics.knocks(len(run.shaft), run.machine.seconds, 0.6, run.rng),
    }


def _sensed(run: "_Run", vibration: Waveform, rng: np.random.Generator) -> Samples:
    return physics.amplified(physics.with_noise(vibration, rng) + _hum(run, vibration.std(), rng), rng)


_REFERENCE_RATE = 12_800  # Hz, at which an impact of unit strength is `_BLOW` and friction of unit strength is one
_BLOW = 5.8


class _Run:
    """What all forces of one recording depend on."""

    def __init__(self, machine: Machine, setting: MachineSetting, rng: np.random.Generator) -> None:
        self.machine, self.setting, self.rng = machine, setting, rng
        self.specimen = machine.generator("specimen", setting.specimen)  # draws what stays with a specimen
        self.load = setting.load / 100
        self.speed = setting.speed / machine.speeds[1]
        self.shaft = _turning(machine, setting, rng)  # rad
        light = setting.severity.startswith("light")
        self.size = self.specimen.uniform(*((0.4, 0.65) if light else (0.8, 1.2)))  # of a fault
        # An impact lasts a sample and friction has all frequencies: what a mode hears of them must not depend on the
        # sensor's rate.
        self.blow = _BLOW * machine.rate / _REFERENCE_RATE
        self.hiss = (machine.rate / _REFERENCE_RATE) ** 0.5

    def fault(self, *labels: str) -> float:
        """The size of the specimen's fault, 0 where it has another one or none."""
        return self.size if self.setting.label in labels else 0.0


def _turning(machine: Machine, setting: MachineSetting, rng: np.random.Generator) -> Waveform:
    """The shaft's angle in rad, sample by sample."""
    t = np.arange(round(machine.seconds * machine.rate)) / machine.rate
    slip = 0.012 * setting.load / 100  # of an asynchronous motor
    hz = setting.speed / 60 * (1 - slip) * (1 + 0.002 * physics.wander(t, machine.seconds, rng))
    return rng.uniform(0, 2 * np.pi) + 2 * np.pi * np.cumsum(hz) / machine.rate


def _shaft_lines(run: _Run) -> Waveform:
    """Half-multiples of the shaft's rate, straight to the sensor; a good machine has the first three whole ones."""
    level = run.machine.generator("shaft").lognormal(-0.1, 0.3)
    halves = np.zeros(12)  # at 0.5, 1, 1.5 ... 6 times the shaft's rate
    halves[[1, 3, 5]] = np.array([0.3, 0.15, 0.08]) * run.specimen.lognormal(0, 0.4, 3)
    halves[1] *= run.speed**2
    halves[1] += run.fault("unbalance") * run.speed**2
    halves[[1, 3, 5]] += run.fault("misalignment") * np.array([0.3, 0.9, 0.4]) * (0.5 + run.load)
    halves[[1, 3]] += run.fault("bent_shaft") * np.array([0.7, 0.4]) * run.speed
    halves += run.fault("looseness") * 0.45 / np.arange(1, 13) ** 0.5 * run.specimen.lognormal(0, 0.3, 12)
    return level * physics.mesh(run.shaft / 2, halves, run.rng)


def _friction(run: _Run) -> Waveform:
    """Rolling and rubbing excites the modes all the time, more so where the shaft presses."""
    depth = 0.05 + 0.1 * run.specimen.random()
    once = depth + 0.5 * run.fault("unbalance", "bent_shaft") + 0.3 * run.fault("looseness")
    twice = 0.5 * depth + 0.5 * run.fault("misalignment") * (0.5 + run.load) + 0.2 * run.fault("bent_shaft")
    pressed = np.maximum(1 + physics.mesh(run.shaft, np.array([once, twice]), run.rng), 0)
    effort = run.speed**0.7 * (0.4 + run.load) ** 0.5
    return np.asarray(run.hiss * effort * pressed * run.rng.standard_normal(len(run.shaft)))


def _load_zone(angle: Waveform | float, load: float) -> Waveform:
    """How hard an element is pressed at an angle from the direction of the load (Stribeck): 1 there, 0 far away."""
    width = 0.25 + 0.45 * load
    return np.clip(1 - (1 - np.cos(angle)) / (2 * width), 0, None) ** 1.1


def _rolling_impacts(run: _Run) -> Waveform:
    """Blows of a damaged bearing, also of a ball that strikes both rings in turn."""
    fault, bearing, shaft = run.setting.label, run.machine.bearing, run.shaft
    if fault not in BEARING_FAULTS:
        return np.zeros_like(shaft)
    angles = shaft[0] + physics.slipping(bearing.strikes(fault), shaft[-1] - shaft[0], run.rng)
    place = run.specimen.uniform(-0.6, 0.6)  # rad from the direction of the load
    strength = run.size * (1 + 0.2 * run.rng.standard_normal(len(angles)))
    if fault == "outer":
        elements = 1 + 0.1 * run.specimen.standard_normal(bearing.elements)  # no two are of one size
        strength *= _load_zone(place, run.load) * elements[np.arange(len(angles)) % bearing.elements]
    elif fault == "inner":
        strength *= 0.1 + 0.9 * _load_zone(angles + place, run.load)
    else:
        rings = np.where(np.arange(len(angles)) % 2, 1.0, run.specimen.uniform(0.6, 0.9))
        strength *= rings * (0.2 + 0.8 * _load_zone(bearing.cage * angles + place, run.load))
    hardness = run.machine.generator("bearing").lognormal(1.4, 0.3) * run.speed * (0.4 + run.load)
    return run.blow * hardness * physics.impulses(shaft, angles, strength)


def _gear_forces(run: _Run) -> Waveform:
    """Mesh forces, with what a fault of the shaft's gear does to them; none where there are no gears."""
    shaft, specimen, rng = run.shaft, run.specimen, run.rng
    if run.machine.teeth is None:
        return np.zeros_like(shaft)
    teeth, mate = run.machine.teeth
    broken, worn = run.fault("broken_tooth"), run.fault("wear")
    harmonics = run.machine.generator("gear").lognormal(0, 0.4) * np.array([1.0, 0.5, 0.3, 0.18])
    harmonics *= specimen.lognormal(0, 0.2, 4) * (1 + worn * np.array([-0.2, 0.6, 0.9, 1.2]))
    carried = physics.per_tooth(shaft, 1 + (0.05 + 0.12 * worn) * specimen.standard_normal(teeth))
    carried *= 1 + specimen.uniform(0.05, 0.15) * np.cos(shaft * teeth / mate)  # an eccentric mate
    tooth = int(specimen.integers(teeth))
    near = physics.tooth_window(shaft, teeth, tooth, width=0.8)
    meshing = physics.mesh(teeth * shaft + 0.2 * broken * near, harmonics, rng)
    force = carried * (1 - min(0.8 * broken, 1) * near) * meshing
    force += worn * run.hiss * np.abs(np.cos(shaft * teeth / 2)) * rng.standard_normal(len(shaft))
    if broken:  # the next tooth takes the load at once
        angles = physics.every_turn(np.array([(tooth + 1) / teeth]), shaft[-1])
        angles = angles[angles > shaft[0]]
        force += run.blow * physics.impulses(shaft, angles, 3 * broken * rng.lognormal(0, 0.25, len(angles)))
    effort: float = (0.3 + run.load) ** 0.8 * run.speed**0.5
    return effort * force


class _Structure:
    """Modes between the forces and the sensor, as they are at one load and after one assembly."""

    def __init__(self, machine: Machine, setting: MachineSetting) -> None:
        rng, assembly = machine.generator("structure"), machine.generator("assembly", setting.specimen)
        count, load = int(rng.integers(5, 10)), setting.load / 100
        highest = min(0.42 * machine.rate, 14_000.0)
        self.rate = machine.rate
        self.hz = np.geomspace(400, highest, count) * (1 + rng.uniform(-0.12, 0.0, count))
        self.hz *= (1 + load * rng.normal(0.03, 0.03, count)) * (1 + 0.004 * assembly.standard_normal(count))
        self.damping = rng.uniform(0.01, 0.04, count) * np.exp(load * rng.normal(0.1, 0.2, count))
        self.shares = {
            name: tilt**-0.5 * rng.lognormal(0, 0.5, count) * np.exp(load * rng.normal(0, 0.4, count))
            for name, tilt in (
                ("bearing", np.geomspace(2.0, 0.5, count)),
                ("gear", np.geomspace(0.7, 1.4, count)),
                ("frame", np.geomspace(0.3, 3.0, count)),
            )
        }
        for share in self.shares.values():
            share *= assembly.lognormal(0, 0.1, count)

    def through(self, direct: Waveform, forces: dict[str, Waveform], along: Waveform | float = 1.0) -> Waveform:
        """What arrives; `along` says how much of each mode is felt in the sensor's direction, if not all of it."""
        shares = {name: along * share for name, share in self.shares.items()}
        direct = direct + 0.15 * forces["gear"]
        return physics.ringing(direct, forces, shares, hz=self.hz, damping=self.damping, rate=self.rate)


def _hum(run: _Run, level: float, rng: np.random.Generator) -> Waveform:
    t = np.arange(len(run.shaft)) / run.machine.rate
    sizes = level * rng.lognormal(-2.5, 0.5) * np.array([1.0, 0.3, 0.5])
    return physics.mesh(2 * np.pi * run.machine.mains * t, sizes, rng)
