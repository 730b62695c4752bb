import gc
import shutil
import socket
import subprocess
from contextlib import closing

import pytest

from dualres.stream.watch.broker import Broker
from dualres.stream.watch.sinks.catalogue import sink_of
from dualres.stream.watch.sources.mqtt import Mqtt
from tests.stream.watch.mosquitto import Device, Mosquitto, needs_mosquitto
from tests.stream.watch.sinks.records import record
from tests.stream.watch.sources.collected import Collected, options
from tests.stream.watch.sources.test_mqtt import SIGNAL

pytest.importorskip("paho.mqtt", reason="MQTT needs paho-mqtt")
EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def free_port():
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def signed(folder, name, subject):
    """A certificate for this subject in folder/name.pem, by an authority in folder/ca.pem."""

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    if not (folder / "ca.pem").exists():
        openssl("req", "-x509", *EC, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=an authority",
                "-addext", "keyUsage=critical,keyCertSign")  # fmt: skip
    (folder / "more").write_text(f"subjectAltName={subject}\n")
    openssl("req", *EC, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-out", f"{name}.pem", "-days", "2", "-extfile", "more")  # fmt: skip


@pytest.fixture
def encrypted(tmp_path):
    """A broker that speaks TLS for this subject, beside plain text, and its address."""
    if not shutil.which("openssl"):
        pytest.skip("certificates need openssl")

    def started(subject):
        signed(tmp_path, "broker", subject)
        port, keys = free_port(), (f"certfile {tmp_path}/broker.pem", f"keyfile {tmp_path}/broker.key")
        return Mosquitto(tmp_path / "broker", None, f"listener {port} 127.0.0.1", *keys), f"mqtts://127.0.0.1:{port}"

    return started


@needs_mosquitto
def test_samples_and_verdicts_come_encrypted(encrypted, tmp_path, monkeypatch):
    broker, address = encrypted("IP:127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    with broker, Device(broker, "plant/a") as device:
        with Collected(Mqtt(f"{address}/plant/+", options(client="tests"))) as found:
            found.until(lambda f: f.said)
            device.send(SIGNAL, 0)
            found.until(lambda f: f.chunks)
        sink = sink_of(f"{address}/verdicts")
        sink.send([record(0)])
        sink.close()
    assert found.samples().tolist() == SIGNAL.tolist()


@needs_mosquitto
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # paho leaves its socket open
@pytest.mark.parametrize(("subject", "trusted"), [("IP:127.0.0.1", False), ("DNS:elsewhere", True)])
def test_a_certificate_that_is_not_trusted_is_told(encrypted, tmp_path, monkeypatch, subject, trusted):
    broker, address = encrypted(subject)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    with broker:
        assert "certificate is not trusted" in Broker.parsed(f"{address}/plant").obstacle()
        gc.collect()
    with broker, Collected(Mqtt(f"{address}/plant/+", options(client="tests"))) as found:
        found.until(lambda f: f.said)
    assert "certificate is not trusted" in found.said[0]
    assert not found.chunks


def test_a_broker_that_is_not_there_is_told_with_the_reason():
    assert "refused" in Broker.parsed(f"mqtt://127.0.0.1:{free_port()}/a").obstacle()
