"""Everything that a web site, a neighbour on the machine or a hostile file might try against the page."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from dualres.web import access as gate
from tests.web.served import OWN, Served, folder_of_tones

PORT = "PORT"  # stands for the port, which no test knows beforehand


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(folder_of_tones(tmp_path_factory.mktemp("gate") / "tones")) as one:
        yield one


def files_around(served: Served) -> set[str]:
    """Everything at and beside the folder."""
    folder = served.page.api.workspace.folder
    return {str(path.relative_to(folder.parent)) for path in folder.parent.rglob("*")}


HOSTS = (
    *("", "evil.example", "127.0.0.1", "127.0.0.1:1", "localhost", f"evil.example:{PORT}", f"[::1]:{PORT}"),
    *(f"127.0.0.1.evil.example:{PORT}", f"localhost.evil.example:{PORT}", f"127.0.0.1:{PORT}@evil.example"),
    f"0.0.0.0:{PORT}",
)


@pytest.mark.parametrize("host", HOSTS)
def test_another_name_that_leads_here_is_not_answered(served: Served, host: str) -> None:
    named = host.replace(PORT, str(served.port))
    assert served.lines("GET / HTTP/1.1", f"Host: {named}", f"Cookie: {served.cookie}") == 421


def test_two_names_are_not_answered(served: Served) -> None:
    here = f"Host: 127.0.0.1:{served.port}"
    assert served.lines("GET / HTTP/1.1", here, "Host: evil.example", f"Cookie: {served.cookie}") in (400, 421)


FROM_ELSEWHERE = (
    *(("Origin", text) for text in ("http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1")),
    *(("Sec-Fetch-Site", text) for text in ("cross-site", "same-site")),
)


@pytest.mark.parametrize("method", ["GET", "PUT", "POST", "DELETE"])
@pytest.mark.parametrize(("name", "text"), FROM_ELSEWHERE)
def test_another_site_is_refused_even_with_the_cookie(served: Served, method: str, name: str, text: str) -> None:
    answer, _ = served.raw(method, "/api/folder", {"Cookie": served.cookie, **OWN, name: text})
    assert answer.status == 403
    assert answer.getheader("access-control-allow-origin") is None


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "PATCH", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data"])
def test_what_a_form_can_send_changes_nothing(served: Served, method: str, kind: str) -> None:
    answer, _ = served.raw(method, "/api/undo", {"Cookie": served.cookie, "Content-Type": kind}, b"a=b")
    assert answer.status == 403
    assert answer.getheader("access-control-allow-origin") is None


OURS = f"dualres-{PORT}="
COOKIES = ("", "dualres=x", OURS, f"{OURS}guess", f"{OURS}\xff", "a" * 8000, "=;;=", "dualres-1=x")


@pytest.mark.parametrize("cookie", COOKIES, ids=lambda text: text[:20])
@pytest.mark.parametrize("path", ["/", "/api/folder", "/main.js", "/api/events"])
def test_nothing_is_shown_without_the_cookie(served: Served, cookie: str, path: str) -> None:
    given = cookie.replace(PORT, str(served.port))
    here = f"Host: localhost:{served.port}"
    assert served.lines(f"GET {path} HTTP/1.1", here, f"Cookie: {given}") in (400, 401)


OTHERS = (
    *("odd; {ours}", 'a="b;c"; {ours}; d', "{name}=of-another-service; {ours}", "{ours}; {name}="),
    *("=; ;;{ours} ;\xe9=\xff", "{ours}; big=" + 30_000 * "x"),
)


@pytest.mark.parametrize("cookie", OTHERS, ids=lambda text: text[:20])
def test_cookies_of_other_services_of_this_machine_keep_nobody_out(served: Served, cookie: str) -> None:
    """A browser sends those of all ports."""
    given = cookie.format(ours=served.cookie, name=served.cookie.split("=")[0])
    here = f"Host: localhost:{served.port}"
    assert served.lines("GET /api/folder HTTP/1.1", here, f"Cookie: {given}") == 200
    assert served.lines("GET /api/folder HTTP/1.1", here, "Cookie: a=b", f"Cookie: {given}") == 200


def test_a_link_opens_the_page_once(served: Served) -> None:
    path = served.page.link.split(str(served.port))[1]
    first, _ = served.raw("GET", path, {})
    again, _ = served.raw("GET", path, {})
    assert (first.status, again.status) == (303, 401)
    cookie = str(first.getheader("set-cookie"))
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


GUESSES = (
    *("/?token=", "/?token=guess", "/api/folder?token=guess", "/?token=guess&token=other"),
    *("/?token=%C3%A9", "/?token=%ff", "/?token=%00", "/?token=%ED%A0%80"),
)


@pytest.mark.parametrize("path", GUESSES)
def test_a_word_that_was_guessed_opens_nothing(served: Served, path: str) -> None:
    assert served.page.link  # now there is a word to be guessed
    assert served.raw("GET", path, {})[0].status == 401


OUTSIDE = (
    *("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/gate.py"),
    *("/static/index.html", "/api/recordings/..%2f..%2fetc%2fpasswd/wave", "/api/recordings/tone0.wav/wave"),
    *("/api/recordings/0000000000000000/sound", "/api/models/..%2f..%2fmodels/file", "/api/models/../file"),
    *("/api/models/%2fetc%2fpasswd/report", "/api/models/.%00/file", "/api/commands/..%2f1"),
)


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_address_leads_out_of_the_folder(served: Served, path: str) -> None:
    status, said = served.ask("GET", path)
    assert status in (400, 404, 405), said
    assert b"root:" not in json.dumps(said, default=repr).encode()


MODEL_NAMES = ("../x", "/tmp/x", ".x", "x/y", "x\\y", "x\0y", "", " ", "-x", "x" * 61, "x.", "x\ny", "--help")


@pytest.mark.parametrize("name", MODEL_NAMES, ids=repr)
def test_no_model_is_called_so(served: Served, name: str) -> None:
    before = files_around(served)
    assert served.ask("POST", "/api/fits", {"name": name})[0] == 400
    assert files_around(served) == before


UPLOADS = (
    *("../../x.wav", "..\\x.wav", "/etc/x.wav", "x.exe", ".wav", "", "x", "x.wav\n", "labels.csv"),
    "x" * 600 + ".wav",
)


@pytest.mark.parametrize("name", UPLOADS, ids=lambda text: repr(text)[:20])
def test_a_dropped_file_lies_nowhere_else(served: Served, name: str) -> None:
    folder = served.page.api.workspace.folder
    good = (folder / "tone0.wav").read_bytes()
    served.ask("POST", f"/api/recordings?name={quote(name)}", good)
    new = files_around(served) - {f"{folder.name}/{name}" for name in ("dropped", "labels.csv")}
    assert all(path.startswith(folder.name) for path in new)
    kept = list((folder / "dropped").iterdir())
    assert all(path.name.endswith(".wav") and path.name[0] != "." for path in kept)
    for path in kept:
        path.unlink()
    (folder / "labels.csv").unlink(missing_ok=True)


@pytest.mark.parametrize("content", [b"", b"RIFF", b"\0" * 5000, b"RIFF\xff\xff\xff\xffWAVEfmt " + b"\xff" * 64])
def test_what_is_no_recording_is_not_kept(served: Served, content: bytes) -> None:
    before = files_around(served)
    status, said = served.ask("POST", "/api/recordings?name=x.wav", content)
    assert status == 400
    assert "x.wav" in said["error"]
    assert files_around(served) - before <= {f"{served.page.api.workspace.folder.name}/dropped"}


CELLS = (
    *({"label": value} for value in ("x\ny", "\0", "\x1b[31m", "x" * 201, 1, None)),
    *({}, {"": "x"}, {"a" * 300: "x"}, {f"c{i}": "x" for i in range(31)}, None, [], "x"),
)


@pytest.mark.parametrize("cells", CELLS, ids=lambda cells: repr(cells)[:20])
def test_no_cell_breaks_the_list(served: Served, cells: object) -> None:
    one = served.get("/api/folder")["recordings"][0]["id"]
    assert served.ask("PUT", f"/api/recordings/{one}/label", {"cells": cells})[0] == 400
    assert not (served.page.api.workspace.folder / "labels.csv").exists()


BODIES = (b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"cells":' * 20_000, b'{"cells": NaN}')


@pytest.mark.parametrize("body", BODIES, ids=lambda body: repr(body)[:20])
def test_a_body_that_is_no_object_is_refused(served: Served, body: bytes) -> None:
    one = served.get("/api/folder")["recordings"][0]["id"]
    assert served.ask("PUT", f"/api/recordings/{one}/label", body)[0] == 400


NUMBERS = ("nan", "inf", "-inf", "1e999", "-1", "x", "1e9999999", "0x10", "", "1" * 600)


@pytest.mark.parametrize("name", ["start_s", "end_s", "axis", "columns"])
@pytest.mark.parametrize("number", NUMBERS, ids=lambda text: text[:10])
def test_a_strange_number_is_refused_or_within_the_recording(served: Served, name: str, number: str) -> None:
    one = served.get("/api/folder")["recordings"][0]["id"]
    assert served.ask("GET", f"/api/recordings/{one}/wave?{name}={number}")[0] in (200, 400)


def test_a_body_of_two_gigabytes_is_not_read(served: Served) -> None:
    head = (f"Host: 127.0.0.1:{served.port}", f"Cookie: {served.cookie}", "X-DualRes: 1", f"Content-Length: {2 << 30}")
    assert served.lines("POST /api/recordings?name=x.wav HTTP/1.1", *head) == 413
    assert served.lines("PUT /api/recordings/x/label HTTP/1.1", *head) == 413


@pytest.mark.parametrize("length", ["-1", "1e9", "99999999999999999999", "x"])
def test_a_length_that_is_none_is_refused(served: Served, length: str) -> None:
    head = (f"Host: 127.0.0.1:{served.port}", f"Cookie: {served.cookie}", "X-DualRes: 1", f"Content-Length: {length}")
    assert served.lines("POST /api/undo HTTP/1.1", *head) in (400, 413)


def test_a_body_without_a_length_is_limited_too(served: Served) -> None:
    head = (f"Host: 127.0.0.1:{served.port}", f"Cookie: {served.cookie}", "X-DualRes: 1", "Transfer-Encoding: chunked")
    piece = b"x" * 65536
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for _ in range(20)) + b"0\r\n\r\n"
    assert served.lines("POST /api/advice HTTP/1.1", *head, body=chunks) == 413


def test_a_client_that_does_not_go_on_is_not_waited_for(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "PATIENCE_S", 0.2)
    head = (f"Host: 127.0.0.1:{served.port}", f"Cookie: {served.cookie}", "X-DualRes: 1", "Content-Length: 1000")
    begin = time.monotonic()
    assert served.lines("POST /api/advice HTTP/1.1", *head, body=b"{") == 408
    assert time.monotonic() - begin < 10


def test_clients_that_say_nothing_keep_nobody_else_waiting(served: Served) -> None:
    silent = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(50)]
    try:
        for one in silent[::2]:
            one.sendall(b"GET / HTTP/1.1\r\nHost:")
        assert served.get("/api/folder")["recordings"]
    finally:
        for one in silent:
            one.close()


def test_a_long_header_is_refused(served: Served) -> None:
    assert served.lines("GET / HTTP/1.1", f"Host: 127.0.0.1:{served.port}", f"X: {'x' * 70_000}") in (0, 400, 401, 431)
    assert served.ask("GET", f"/api/folder?x={'x' * 5000}")[0] == 414


def test_there_is_no_websocket(served: Served) -> None:
    upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: eA==")
    head = (f"Host: 127.0.0.1:{served.port}", f"Cookie: {served.cookie}")
    assert served.lines("GET /api/events HTTP/1.1", *head, *upgrade) != 101


@pytest.mark.parametrize("path", ["/", "/main.js", "/api/folder", "/nowhere", "/api/recordings/x/wave"])
def test_every_answer_says_what_a_browser_may_do_with_it(served: Served, path: str) -> None:
    answer, _ = served.raw("GET", path, {"Cookie": served.cookie})
    policy = str(answer.getheader("content-security-policy"))
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.getheader("x-content-type-options") == "nosniff"
    assert answer.getheader("cross-origin-resource-policy") == "same-origin"
    assert answer.getheader("server") is None


def test_only_this_machine_reaches_it(served: Served) -> None:
    assert served._listening.getsockname()[0] == "127.0.0.1"


def test_a_link_out_of_the_folder_is_not_followed_by_its_list(served: Served, tmp_path: Path) -> None:
    folder = served.page.api.workspace.folder
    outside = folder_of_tones(tmp_path / "outside", 1) / "tone0.wav"
    (folder / "labels.csv").write_text(f"file,label\n{outside},a\n")
    try:
        status, said = served.ask("GET", "/api/folder")
        assert status == 200
        (refused,) = (one for one in said["recordings"] if one["problem"])
        assert "lies outside the folder" in refused["problem"]
        assert refused["seconds"] is None
        for way in ("wave", "sound"):
            assert served.ask("GET", f"/api/recordings/{refused['id']}/{way}")[0] == 400
    finally:
        (folder / "labels.csv").unlink()
