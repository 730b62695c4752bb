"""An MQTT broker and a topic on it, as a URL names them, and a client for it."""

from __future__ import annotations

import os
import socket
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from dualres.errors import ConfigError
from dualres.utils.optional_imports import missing

if TYPE_CHECKING:
    from paho.mqtt.client import Client

PORTS = {"mqtt": 1883, "mqtts": 8883}
USER, PASSWORD = "DUALRES_MQTT_USER", "DUALRES_MQTT_PASSWORD"  # environment variables: others can read a command line
KEEPALIVE_S = 15
LOOK_S = 3.0  # to find out what is in the way
LONGEST_PAUSE_S = 10  # between two attempts to connect


@dataclass(frozen=True)
class Broker:
    host: str
    port: int
    topic: str  # may be a filter, with + and #
    tls: bool

    @classmethod
    def parsed(cls, url: str) -> Broker:
        address = urlsplit(url.replace("#", "%23"))
        topic = unquote(address.path.removeprefix("/"))
        if address.password or address.username:
            raise ConfigError(
                f"{address.scheme}://{address.hostname}: put the user and password into {USER}, {PASSWORD}"
            )
        if not address.hostname or not topic:
            raise ConfigError(f"{url}: write mqtt://host/topic")
        try:
            port = address.port or PORTS[address.scheme]
        except ValueError:
            raise ConfigError(f"{url}: the port is no number; write mqtt://host:1883/topic") from None
        return cls(address.hostname, port, topic, address.scheme == "mqtts")

    def client(self, client_id: str, *, manual_ack: bool = False, again: bool = True) -> Client:
        """Not connected yet; if `again`, it connects again by itself whenever it has to."""
        try:
            from paho.mqtt.client import Client
            from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
        except ImportError:
            raise missing("MQTT", "paho") from None
        client = Client(
            CallbackAPIVersion.VERSION2,
            client_id,
            protocol=MQTTProtocolVersion.MQTTv5,
            manual_ack=manual_ack,
            reconnect_on_failure=again,
        )
        if user := os.environ.get(USER):
            client.username_pw_set(user, os.environ.get(PASSWORD))
        if self.tls:
            client.tls_set()
        client.reconnect_delay_set(1, LONGEST_PAUSE_S)
        return client

    def obstacle(self) -> str:
        """Why no connection comes about, as far as one can see from here; empty where one does."""
        try:
            with socket.create_connection((self.host, self.port), LOOK_S) as there:
                if self.tls:
                    ssl.create_default_context().wrap_socket(there, server_hostname=self.host).close()
        except ssl.SSLCertVerificationError as error:
            return f"its certificate is not trusted: {error.verify_message}"
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"
