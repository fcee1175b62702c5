"""Logs contain no secret, even if the libraries log at the most verbose level."""

import subprocess
import sys

import pytest

from loopback import Loopback, answer, redirect

from . import loud


@pytest.fixture
def provider(server: Loopback) -> Loopback:
    """A provider that responds in every way."""
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
    """Return the logs of a program that sends every kind of request."""
    command = [sys.executable, loud.__file__, provider.address, database_url, configured]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "the end" in ended.stderr
    assert {requests_received.target.partition("?")[0] for requests_received in provider.requests_received} == set(
        loud.PATHS
    )
    return ended.stderr


def test_no_log_line_contains_a_secret(provider: Loopback, database_url: str) -> None:
    output = logs(provider, database_url, configured="yes")

    assert "provider asked to wait" in output
    assert "provider failed unexpectedly" in output
    assert [line for line in output.splitlines() if "s3cret" in line or "127.0.0.1" in line] == []


def test_libraries_would_log_secrets_if_they_were_not_silenced(provider: Loopback, database_url: str) -> None:
    assert "key=s3cret" in logs(provider, database_url, configured="no")
