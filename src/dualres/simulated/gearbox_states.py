"""States and conditions of a two-stage gearbox, as MCC5-THU has them: the simulated rig imitates that campaign."""

from dataclasses import dataclass

STATES = ("healthy", "missing_teeth", "wear", "pitting", "crack", "break", "break+inner", "break+outer")
WITHOUT_SEVERITY = ("healthy", "missing_teeth")
SEVERITIES = ("L", "M", "H")
MODES = ("speed", "torque")  # which of the two circulates within a recording
SPEEDS = (1000, 2000, 3000)  # rpm of the motor
TORQUES = (10, 20)  # Nm at the gearbox's input


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
