"""Logs hold no secret, whatever happens and however talkative somebody has made the libraries."""

import subprocess
import sys

import pytest

from loopback import Loopback, answer, redirect

from . import loud


@pytest.fixture
def provider(server: Loopback) -> Loopback:
    """A provider that behaves in all the ways in which one can."""
    server.on("/fine", answer(b'{"strange": "s3cret"}', set_cookie="id=s3cret"))
    server.on("/html", answer(b"<html>s3cret</html>", content_type="text/html"))
    server.on("/refused", answer(b"s3cret", status=401, www_authenticate="s3cret"))
    server.on("/busy", answer(status=429, retry_after="1"))
    server.on("/away", answer(status=503))
    server.on("/elsewhere", redirect("http://localhost/?key=s3cret"))
    server.on("/broken", answer(b"s3cret", content_encoding="gzip"))
    server.on("/cut", lambda line: line.send(b"HTTP/1.1 200 OK\r\ns3cret"))
    return server


def logs(provider: Loopback, database_url: str, *, configured: str) -> str:
    """Give what a program logs that asks in all ways."""
    command = [sys.executable, loud.__file__, provider.address, database_url, configured]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "the end" in ended.stderr
    assert {heard.target.partition("?")[0] for heard in provider.heard} == set(loud.PATHS)
    return ended.stderr


def test_no_log_line_holds_a_secret(provider: Loopback, database_url: str) -> None:
    told = logs(provider, database_url, configured="yes")

    assert "provider asks to wait" in told
    assert "provider failed unexpectedly" in told
    assert [line for line in told.splitlines() if "s3cret" in line or "127.0.0.1" in line] == []


def test_libraries_would_tell_them_if_they_were_let(provider: Loopback, database_url: str) -> None:
    assert "key=s3cret" in logs(provider, database_url, configured="no")
