"""A real broker, which can be stopped, killed and started again on the same port, and devices that publish."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import time
from contextlib import closing

from dualres.stream.monitor.chunk import DTYPES, STAMP

PROGRAM = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")  # not in every PATH


class Mosquitto:
    def __init__(self, folder, port=None, *more):
        """`more` are lines of its configuration."""
        self.folder, self.process = folder, None
        self.port = port or _free_port()
        folder.mkdir(parents=True, exist_ok=True)
        self._config = folder / "mosquitto.conf"
        self._config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location {folder}/\n"
            "autosave_interval 1\nmax_queued_messages 0\nmax_inflight_messages 1000\nuser root\nlog_type error\n"
            + "".join(f"{line}\n" for line in more)
        )

    def await_save(self):
        """Until it has saved everything that it has now, which it does every second."""
        database, now, end = self.folder / "mosquitto.db", time.time(), time.monotonic() + 30
        while not database.exists() or database.stat().st_mtime <= now + 1.0:  # one that was under way does not count
            assert time.monotonic() < end, "the broker does not save"
            time.sleep(0.05)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        assert PROGRAM
        self.process = subprocess.Popen([PROGRAM, "-c", str(self._config)], stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while True:
            assert self.process.poll() is None, "the broker did not start"
            try:
                with closing(socket.create_connection(("127.0.0.1", self.port), 0.2)):
                    return
            except OSError:
                assert time.monotonic() < end
                time.sleep(0.02)

    def stop(self, number=signal.SIGTERM):
        """Orderly, with everything saved; or by another signal."""
        if self.process:
            self.process.send_signal(number)
            self.process.wait(20)
            self.process = None

    def kill(self):
        """What it did not save is lost."""
        self.stop(signal.SIGKILL)

    def url(self, topic, scheme="mqtt"):
        return f"{scheme}://127.0.0.1:{self.port}/{topic}"


def _free_port():
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Device:
    """What publishes samples: numbered chunks with a header beside them, until the broker has each."""

    def __init__(self, broker, topic="plant/p1", rate=12_800, start=1, dtype="f32", **header):
        from paho.mqtt.client import Client
        from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

        self.topic, self.start, self.dtype = topic, start, dtype
        self.header = {"rate": rate, "dtype": dtype, "stamped": True, **header}
        self._client = Client(
            CallbackAPIVersion.VERSION2, f"device {topic}", protocol=MQTTProtocolVersion.MQTTv311, clean_session=False
        )
        self._client.max_inflight_messages_set(1000)
        self._client.on_connect = lambda *_: self.introduce()
        self._client.reconnect_delay_set(1, 1)
        self._client.connect_async("127.0.0.1", broker.port)
        self._client.loop_start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._client.disconnect()
        self._client.loop_stop()

    def introduce(self):
        self._client.publish(f"{self.topic}/header", json.dumps(self.header), qos=1, retain=True)

    def publish(self, payload, suffix=""):
        return self._client.publish(self.topic + suffix, payload, qos=1)

    def deliver(self, samples, first):
        """One chunk, until the broker has it; it may have it twice."""
        while True:
            while not self._client.is_connected():
                time.sleep(0.02)
            try:
                self.send(samples, first).wait_for_publish()
                return
            except RuntimeError:  # the connection was lost just now
                time.sleep(0.02)

    def send(self, samples, first):
        """One chunk, stamped."""
        stamp = STAMP.pack(self.start, first) if self.header["stamped"] else b""
        return self.publish(stamp + samples.astype(DTYPES[self.dtype]).tobytes())
