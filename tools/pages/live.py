"""What the scripts on live streams measured, as the page of live streams asks for it."""

from textwrap import fill

from tools.pages.measured import LINE, Measured, table

SCRIPTS = ("live", "live_day")
KINDS = ("waits", "udp")  # of sources that send too much


class Live(Measured):
    def live_table(self) -> str:
        """What was asked of live streams, what was aimed at, and what was found."""
        overload = (row for kind in KINDS for row in self._overload(kind))
        return table(("", "aim", "measured"), [*self._pace(), *self._day(), *overload])

    def live_machines(self) -> str:
        """On what each was measured."""
        overload = self._json("live_overload")
        found = {f"`speed/{name}.py`": self._json(name) for name in SCRIPTS}
        found |= {f"`speed/live_overload.py --kinds {kind}`": overload[kind]["measured"] for kind in KINDS}
        where = [f"{one['machine']}, {one['cores']} cores, {one['date']}" for one in found.values()]
        busy = [f"{one['load']:.1f} by {script}" for script, one in found.items()]
        machines = "; ".join(dict.fromkeys(where))
        return fill(f"Measured on {machines}. The load of the machine at the end was {', '.join(busy)}.", LINE)

    def _pace(self) -> list[tuple[str, str, str]]:
        found = self._json("live")
        real, able = found["realtime"], found["capacity"]
        late = f"{100 * real['within_half_a_second']:.1f} %; 99 % within {real['late_ms']['p99']:.0f} ms"
        return [
            (f"{found['streams']} streams at 12.8 kHz: verdicts within 0.5 s of a window's last sample", "99 %", late),
            ("memory at most, Python included", "400 MB", f"{real['peak_mb']:.0f} MB"),
            ("streams that one process judges in real time", "", f"{able['streams']}"),
        ]

    def _day(self) -> list[tuple[str, str, str]]:
        found = self._json("live_day")
        rest = found["at_rest"]["memory_mb"]
        hours, grew = found["simulated_s"] / 3600, found["grew"]
        of = f"{hours:.0f} hours of {sum(found['windows'].values()):,} windows in {found['runs']:,} runs of streams"
        return [
            (f"{of}: memory grows by, at rest", "under 1 MB", f"{rest[-1] - rest[0]:.1f} MB"),
            ("memory grows by, at work", "", f"{grew['memory_mb']:.1f} MB"),
            ("the spool's file grows by", "", f"{grew['spool_mb'] + grew['wal_mb']:.1f} MB"),
        ]

    def _overload(self, kind: str) -> list[tuple[str, str, str]]:
        found = self._json("live_overload")
        one, ways = found[kind], {"waits": "from a source that can wait", "udp": "by UDP, which cannot wait"}
        memory, spool = one["memory_mb"], one["spool_mb"]
        title = f"{found['times']:g} times what it can judge for {found['minutes']:g} minutes, {ways[kind]}: memory"
        kept_mb = f"{max(spool.values()):.0f} MB and {one['wal_mb']:.0f} MB"
        grown = f"{memory['first_half']:.0f} MB in the first half, {memory['second_half']:.0f} MB in the second"
        if kind == "waits":
            kept = ("windows of acknowledged samples that lack a verdict", "none", f"{one['windows_lacking']:,}")
        else:
            share = 100 * one["missing_told"] / one["sent"]
            kept = (f"samples lost ({share:.0f} %) and not told as missing", "none", f"{one['untold']:,}")
        on_time = "not while it was watched" if one["recovered_after_s"] is None else f"{one['recovered_after_s']} s"
        return [
            (title, "bounded", grown),
            (f"the spool's file, of {found['quota_mb']} MiB allowed, and its log", "", kept_mb),
            kept,
            ("verdicts are on time again after", "", on_time),
        ]
