"""How much the page survives: calls generated from its own description, many clients, and being killed.

    python stress/page.py --calls 10000 --clients 50 --minutes 5 --kills 20

Prints JSON: calls and answers of the 500 kind, growth of memory under many clients, labels lost to kill -9.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import string
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

STRANGE = ("", "0", "-1", "1e400", "nan", "..", "../../x", "\0", "é", "a/b", "%00", "x" * 600, "<img src=x onerror=1>")
QUIET = (
    "/api/fits",
    "/api/advice",
    "/api/audit",
    "/api/trend",
    "/export",
    "/table",
    "/api/events",
    "/api/campaign",
)  # what starts processes


@dataclass(frozen=True)
class Attempt:
    """A request."""

    method: str
    target: str
    body: bytes | None


def attempts(
    described: Mapping[str, Any], known: Mapping[str, Sequence[str]], seed: int, count: int
) -> Iterator[Attempt]:
    """Requests that follow the description, and some that nearly do; `known` values are good ones."""
    draw = random.Random(seed)
    calls = [(path, method, call) for path, methods in described["paths"].items() for method, call in methods.items()]
    calls = [one for one in calls if not (one[1] != "get" and one[0].endswith(QUIET))]
    for _ in range(count):
        path, method, call = draw.choice(calls)
        query = {}
        for parameter in call["parameters"]:
            name = parameter["name"]
            value = _value(draw, parameter["schema"], known.get(name, ()))
            if parameter["in"] == "path":
                path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
            elif parameter["required"] or draw.random() < 0.6:
                query[name] = value
        yield Attempt(method.upper(), f"{path}?{urlencode(query)}" if query else path, _body(draw, call))


def told_of(call: Attempt, status: int) -> str:
    return f"{status}: {call.method} {call.target} {(call.body or b'')[:200]!r}"


def _value(draw: random.Random, schema: Mapping[str, Any], good: Sequence[str]) -> Any:
    if good and draw.random() < 0.7:
        return draw.choice(good)
    if draw.random() < 0.25:
        return draw.choice(STRANGE)
    kind = schema.get("type")
    if kind == "integer":
        return draw.randint(int(schema.get("minimum", -5)), int(schema.get("maximum", 2000)))
    if kind == "number":
        return draw.uniform(0, draw.choice([1, 10, 1e6]))
    if kind == "object":
        return {draw.choice(["label", "component", "load", *STRANGE]): draw.choice(["a", "b", *STRANGE])}
    return "".join(draw.choices(string.printable, k=draw.randint(0, 20)))


def _body(draw: random.Random, call: Mapping[str, Any]) -> bytes | None:
    content = call.get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        return draw.randbytes(draw.randint(0, 2000)) if content else None
    if draw.random() < 0.15:
        return draw.choice([b"", b"{", b"[]", b"null", b"\xff", b"[" * 2000])
    properties = content["application/json"]["schema"]["properties"]
    given = {name: _value(draw, schema, ()) for name, schema in properties.items() if draw.random() < 0.85}
    return json.dumps(given).encode()


class Running:
    """`dualres serve` in a process of its own, and a client of it."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "dualres.cli", "serve", str(folder), "--no-browser", "--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        assert self.process.stdout
        link = re.search(r"127\.0\.0\.1:(\d+)(/\?token=\S+)", self.process.stdout.readline())
        assert link, "the page did not start"
        self.port = int(link[1])
        answer, _ = self.send("GET", link[2])
        self._cookie = str(answer.getheader("set-cookie")).split(";")[0]

    def send(self, method: str, target: str, body: bytes | None = None) -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Cookie": getattr(self, "_cookie", ""), "X-DualRes": "1"}
        try:
            connection.request(method, target, body, headers)
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def get(self, target: str) -> Any:
        return json.loads(self.send("GET", target)[1])

    @property
    def memory_mb(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def generated_calls(folder: Path, count: int, seed: int) -> dict[str, Any]:
    """Against its own description; none may be answered by a status of 500 or more."""
    page = Running(folder)
    described = page.get("/api/openapi.json")
    known = {"id": [one["id"] for one in page.get("/api/folder")["recordings"]]}
    broken = []
    for call in attempts(described, known, seed, count):
        status = page.send(call.method, call.target, call.body)[0].status
        if status >= 500:
            broken.append(told_of(call, status))
    page.process.terminate()
    page.process.wait(30)
    return {"calls": count, "broken": broken}


def many_clients(folder: Path, clients: int, minutes: float) -> dict[str, Any]:
    """All of them look at recordings, each with an open stream of news."""
    page, end, asked, slowest = Running(folder), time.monotonic() + 60 * minutes, [0], [0.0]
    ids = [one["id"] for one in page.get("/api/folder")["recordings"]]

    def client(seed: int) -> None:
        draw = random.Random(seed)
        news = http.client.HTTPConnection("127.0.0.1", page.port, timeout=60)
        news.request("GET", "/api/events", headers={"Cookie": page._cookie})
        news.getresponse().read1(64)
        while time.monotonic() < end:
            begin = time.monotonic()
            page.send("GET", f"/api/recordings/{draw.choice(ids)}/{draw.choice(['wave', 'spectrum', 'envelope'])}")
            slowest[0] = max(slowest[0], time.monotonic() - begin)
            asked[0] += 1
            time.sleep(draw.uniform(0.2, 1.0))
        news.close()

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    time.sleep(60 * minutes / 2)  # caches and threads are there by then
    warm = page.memory_mb
    for thread in threads:
        thread.join()
    grown = page.memory_mb - warm
    page.process.terminate()
    page.process.wait(30)
    told = {"clients": clients, "minutes": minutes, "calls": asked[0], "slowest_s": slowest[0]}
    return {**told, "memory_mb": warm + grown, "growth_in_the_second_half_mb": grown}


def killed_while_labelling(folder: Path, kills: int, seed: int) -> dict[str, Any]:
    """Labels that were answered as saved must be in the list after kill -9, and the list must be whole."""
    draw, saved, lost = random.Random(seed), 0, 0
    for _ in range(kills):
        page = Running(folder)
        ids = {one["id"]: one["name"] for one in page.get("/api/folder")["recordings"]}
        threading.Timer(draw.uniform(0.05, 0.6), page.process.kill).start()
        said: dict[str, str] = {}
        trying = ("", "")
        try:
            while True:
                one, label = draw.choice(list(ids)), draw.choice("abcdef")
                trying = (one, label)
                body = json.dumps({"cells": {"label": label}}).encode()
                if page.send("PUT", f"/api/recordings/{one}/label", body)[0].status == 200:
                    said[one] = label
                    saved += 1
        except (OSError, http.client.HTTPException):
            pass
        page.process.wait(30)
        listed = (folder / "labels.csv").read_text() if (folder / "labels.csv").exists() else ""
        for one, label in said.items():
            either = (
                {label, trying[1]} if one == trying[0] else {label}
            )  # the last one may have been written, unanswered
            lost += not any(f"{ids[one]},{word}\n" in listed for word in either)
    return {"kills": kills, "labels_saved": saved, "labels_lost": lost}


def recordings(folder: Path) -> Path:
    import numpy as np
    import soundfile

    rng = np.random.default_rng(0)
    for number in range(8):
        soundfile.write(folder / f"r{number}.wav", 0.1 * rng.standard_normal(32000), 16000)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    told = {}
    for name, run in (
        ("calls", lambda folder: generated_calls(folder, given.calls, given.seed)),
        ("clients", lambda folder: many_clients(folder, given.clients, given.minutes)),
        ("kills", lambda folder: killed_while_labelling(folder, given.kills, given.seed)),
    ):
        with tempfile.TemporaryDirectory() as folder:
            told[name] = run(recordings(Path(folder)))
        print(f"{name}: {json.dumps(told[name])[:400]}", file=sys.stderr, flush=True)
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
