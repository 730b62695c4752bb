"""What wheels are built for: a processor, a C library, and the platform tag that the audit has to arrive at."""

from __future__ import annotations

from dataclasses import dataclass

GNU, MUSL = "gnu", "musl"


@dataclass(frozen=True)
class Target:
    """One wheel."""

    machine: str  # as `uname -m` says it
    libc: str
    platform: str  # the oldest systems that it serves, as a wheel's name says it

    @property
    def triplet(self) -> str:
        return f"{self.machine}-linux-{self.libc}"


TARGETS = (
    Target("x86_64", GNU, "manylinux_2_17_x86_64"),
    Target("aarch64", GNU, "manylinux_2_17_aarch64"),
    Target("x86_64", MUSL, "musllinux_1_2_x86_64"),
    Target("aarch64", MUSL, "musllinux_1_2_aarch64"),
)
