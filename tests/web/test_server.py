"""What all servers of pages share: names, headers, parts of sounds, and an end in good order."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import click
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from listenbench.commands import browse, listen
from listenbench.errors import SpecError
from listenbench.web.guard import SECURITY_HEADERS, Guard, OwnNames, content_security_policy, own_names
from listenbench.web.ranges import ranged_response
from listenbench.web.server import LOCAL_HOST, address_of, bound_socket, running

DIRECT: Any = {"trust_env": False, "verify": False}
"""Without a proxy, and without the certificates, which take long to load."""
POLICY = "default-src 'none'"
SERVING = """
import signal
from listenbench.web.server import address_of, bound_socket, serve
# A test run in the background hands on that Ctrl-C is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

async def app(scope, receive, send):
    while (await receive())["type"] != "http.disconnect":
        pass

with bound_socket("localhost", 0) as bound:
    serve(app, bound, lambda: print(address_of(bound, "localhost"), flush=True))
print("ended")
"""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    def posted(_request: Request) -> Response:
        return PlainTextResponse("posted")

    app = Starlette(
        routes=[Route("/", lambda _: PlainTextResponse("page")), Route("/post", posted, methods=["POST"])]
    )
    with running(Guard(app, own_names(LOCAL_HOST), POLICY)) as address:
        yield address.rstrip("/")


def get(address: str, **headers: str) -> httpx.Response:
    return httpx.get(address, headers=headers, **DIRECT)


@pytest.mark.parametrize(
    ("host", "loopback", "elsewhere"),
    [
        ("127.0.0.1:8700", True, True),
        ("127.0.0.1", True, True),
        ("localhost:8700", True, True),
        ("LOCALHOST.:8700", True, True),
        ("[::1]:8700", True, True),
        ("proxy.example", True, True),
        ("192.168.1.20:8700", False, True),
        ("bench.example:8700", False, True),
        ("evil.example:8700", False, False),
        ("127.0.0.1.evil.example", False, False),
        ("localhost.evil.example:8700", False, False),
        ("evil.example:127.0.0.1", False, False),
        ("127.0.0.1@evil.example", False, False),
        ("", False, False),
        (":8700", False, False),
        ("[evil.example]:8700", False, False),
        ("[::ffff", False, False),
    ],
)
def test_names_that_others_could_make_lead_here_are_no_names_of_ours(
    host: str, loopback: bool, elsewhere: bool
) -> None:
    assert own_names("127.0.0.1", ["Proxy.Example."]).include(host) is loopback
    assert own_names("Bench.example", ["proxy.example"]).include(host) is elsewhere


def test_a_server_for_others_goes_by_the_name_of_the_machine() -> None:
    assert own_names("0.0.0.0").include(f"{socket.gethostname()}:8000")
    assert own_names("localhost") == OwnNames(frozenset({"localhost", "127.0.0.1", "::1"}), any_address=False)


def test_foreign_names_and_foreign_pages_get_nothing(site: str) -> None:
    assert get(site).text == "page"
    for host in ("evil.example", "192.168.0.7:8000", "[::ffff", ""):
        reply = get(site, Host=host)
        assert reply.status_code in {400, 421}
        assert "page" not in reply.text
    for origin in ("", "null", "http://evil.example", f"{site}.evil.example", f"ftp{site[4:]}"):
        reply = httpx.post(f"{site}/post", headers={"Origin": origin}, **DIRECT)
        assert (reply.status_code, "posted" in reply.text) == (403, False)
    assert httpx.post(f"{site}/post", headers={"Origin": site}, **DIRECT).text == "posted"


def test_every_reply_has_the_headers(site: str) -> None:
    replies = [get(site), get(f"{site}/nothing"), get(site, Host="evil.example")]
    assert [reply.status_code for reply in replies] == [200, 404, 421]
    for reply in replies:
        assert {
            name.lower(): value for name, value in SECURITY_HEADERS.items()
        }.items() <= reply.headers.items()
        assert reply.headers["content-security-policy"] == POLICY
        assert "server" not in reply.headers


def test_the_policy_allows_what_stands_in_the_page_and_nothing_else() -> None:
    policy = content_security_policy("<style>a</style><script>b</script><script src=x>c</script>")
    directives = dict(part.partition(" ")[::2] for part in policy.split("; "))
    # printf a | openssl dgst -sha256 -binary | base64
    assert directives["style-src"] == "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='"
    assert directives["script-src"] == "'sha256-PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0='"
    assert directives["default-src"] == "'none'"
    assert "unsafe" not in policy
    assert "http" not in policy
    with_scripts = content_security_policy("<script>b</script>", scripts=True)
    assert "script-src 'self' 'sha256-" in with_scripts


@given(
    st.binary(max_size=50),
    st.one_of(
        st.text(max_size=20),
        st.builds("bytes={}-{}".format, st.integers(0, 60) | st.just(""), st.integers(0, 60) | st.just("")),
    ),
)
def test_a_range_is_that_part_of_the_sound(content: bytes, wanted: str) -> None:
    reply = ranged_response(content, wanted, "audio/wav")
    if reply.status_code == 206:
        first, last, size = map(int, re.findall(r"\d+", reply.headers["content-range"]))
        assert reply.body == content[first : last + 1]
        assert (len(reply.body), size) == (last + 1 - first, len(content))
        start, end = wanted.removeprefix("bytes=").split("-")
        assert first == (int(start) if start else max(0, len(content) - int(end)))
        assert not start or not end or last == min(int(end), len(content) - 1)
    elif reply.status_code == 416:
        assert reply.headers["content-range"] == f"bytes */{len(content)}"
    else:
        assert (reply.status_code, reply.body) == (200, content)


def test_a_socket_is_had_or_refused_in_one_line() -> None:
    with closing(bound_socket("localhost", 0)) as bound:
        port = bound.getsockname()[1]
        assert address_of(bound, "localhost") == f"http://localhost:{port}/"
        assert address_of(bound, "::1") == f"http://[::1]:{port}/"
        assert address_of(bound, "0.0.0.0") == f"http://{socket.gethostname()}:{port}/"
        with pytest.raises(SpecError, match=f"--port {port}: in use: give another one, or --port 0"):
            bound_socket("localhost", port)
    for host in ("no.such.host.invalid", "192.0.2.1", "a..b", "x" * 300):
        with pytest.raises(SpecError, match=f"--host {re.escape(host)}"):
            bound_socket(host, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the whole of 127.0.0.0/8")
@pytest.mark.parametrize("command", [browse.command, listen.command], ids=["browse", "listen"])
def test_nobody_but_this_machine_reaches_it_unless_asked_for(command: click.Command) -> None:
    (host,) = (option.default for option in command.params if option.name == "host")
    with closing(bound_socket("0.0.0.0", 0)) as everywhere, closing(bound_socket(host, 0)) as bound:
        for each in (everywhere, bound):
            each.listen()
        assert bound.getsockname()[0] == "127.0.0.1"
        socket.create_connection(("127.0.0.2", everywhere.getsockname()[1])).close()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", bound.getsockname()[1])).close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_the_middle_of_a_request(number: signal.Signals) -> None:
    command = [sys.executable, "-W", "error", "-c", SERVING]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = httpx.URL(process.stdout.readline().strip())
        assert address.host == "localhost"
        with socket.create_connection((address.host, address.port or 0)) as half:
            half.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            process.send_signal(number)
            assert process.communicate(timeout=10) == ("ended\n", "")
    assert process.returncode == 0
