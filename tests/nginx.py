"""A temporary nginx on loopback in front of a service, with the configuration file from ``docs``."""

import os
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from playdock.kit.clock import utc_now

SITE = Path(__file__).parents[1] / "docs/nginx.conf"
EDGE = Path(__file__).parents[1] / "docs/edge-nginx.conf"
CLUSTER = Path(__file__).parents[1] / "deploy/cluster/nginx.conf"
_PATIENCE = 120.0
_HOST = "127.0.0.1"
_HOST_V6 = "::1"
_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
_AROUND = """
{user}
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
# The default of 512 is too few for fifty clients with several connections each, which take another one to a node.
events {{ worker_connections 4096; }}
http {{
    {temporary}
    log_format told '$status $upstream_http_x_accel_redirect';
    access_log {folder}/access.log told;
    include {folder}/site.conf;
}}
"""


def find_nginx() -> str | None:
    return shutil.which("nginx", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin")))


def has_ipv6() -> bool:
    """Return whether this machine has a loopback address of IPv6."""
    try:
        with socket.create_server((_HOST_V6, 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class XAccel:
    """A running nginx: its URL, its certificate and its log."""

    address: str
    trusted: ssl.SSLContext
    folder: Path

    def sent_itself(self, *, of: int) -> list[str]:
        """Return the paths of the files that it sent itself, once the log contains ``of`` requests."""
        deadline = time.monotonic() + _PATIENCE
        while len(lines := (self.folder / "access.log").read_text().splitlines()) < of:
            assert time.monotonic() < deadline, f"Only {len(lines)} requests were answered."
            time.sleep(0.01)
        assert len(lines) == of
        return [line.partition(" ")[2] for line in lines if not line.endswith(" -")]


@contextmanager
def running_nginx(
    program: str, folder: Path, *, port: int, http_port: int, places: Mapping[str, str]
) -> Iterator[XAccel]:
    """Run nginx with the documented file, in which ``places`` replace the placeholders."""
    folder.mkdir()
    certificate = _write_certificate(folder)
    given = {
        "listen 443 ssl": f"listen {_HOST}:{port} ssl",
        "listen [::]:443 ssl;": f"listen [{_HOST_V6}]:{port} ssl;" if has_ipv6() else "",
        "listen 80": f"listen {_HOST}:{http_port}",
        "listen [::]:80;": f"listen [{_HOST_V6}]:{http_port};" if has_ipv6() else "",
        "/etc/ssl/playdock": str(folder),
        **places,
    }
    _write_site(SITE, folder, given)
    with _running(program, folder):
        yield XAccel(f"https://{_HOST}:{port}", ssl.create_default_context(cafile=str(certificate)), folder)


@contextmanager
def running_cluster(program: str, folder: Path, *, port: int, nodes: Sequence[int]) -> Iterator[Path]:
    """Run nginx with the file for a cluster, in front of nodes at these ports; yield its log of statuses."""
    folder.mkdir()
    # Here they have one address, so their ports are listed instead of being looked up.
    listed = "".join(f"server {_HOST}:{node} max_fails=0; " for node in nodes)
    given = {
        "map $http_upgrade": f"upstream nodes {{ {listed}}}\nmap $http_upgrade",
        "listen 80;": f"listen {_HOST}:{port};",
        "resolver 127.0.0.11 valid=1s;": "",
        "http://$nodes:3000": "http://$nodes",
    }
    _write_site(CLUSTER, folder, given)
    with _running(program, folder):
        yield folder / "access.log"


@contextmanager
def running_mirror(program: str, folder: Path, *, port: int, origin: str) -> Iterator[str]:
    """Run nginx with the documented file of a mirror, without TLS; yield its address. ``origin`` is host and port."""
    folder.mkdir()
    given = {
        "listen 443 ssl": f"listen {_HOST}:{port}",
        "listen [::]:443 ssl;": "",
        "games.example.org:443": origin,
        "https://playdock_origin": "http://playdock_origin",
        "/etc/ssl/certs/ca-certificates.crt": str(_write_certificate(folder)),
        "/etc/ssl/mirror": str(folder),
        "/var/cache/nginx": str(folder),
        "games.example.org": origin,
    }
    _write_site(EDGE, folder, given)
    with _running(program, folder):
        yield f"http://{_HOST}:{port}"


def _write_site(documented: Path, folder: Path, given: Mapping[str, str]) -> None:
    """Write a documented file with other values for its placeholders."""
    site = documented.read_text()
    for placeholder, place in given.items():
        assert placeholder in site, f"{placeholder} does not stand in {documented.name}."
        site = site.replace(placeholder, place)
    (folder / "site.conf").write_text(site)


@contextmanager
def _running(program: str, folder: Path) -> Iterator[None]:
    """Run nginx with a folder that contains a site."""
    temporary = " ".join(f"{name}_temp_path {folder}/{name};" for name in _TEMPORARY)
    # If the tests run as root, their folders are not accessible to other users.
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(_AROUND.format(user=user, folder=folder, temporary=temporary))
    server = subprocess.Popen([program, "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"])
    try:
        _wait(server, folder)
        yield
    finally:
        server.terminate()
        server.wait(_PATIENCE)


def _wait(server: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Wait for the file that nginx writes once it listens."""
    deadline = time.monotonic() + _PATIENCE
    while not (folder / "nginx.pid").exists():
        assert server.poll() is None, (folder / "error.log").read_text()
        assert time.monotonic() < deadline, "nginx did not start in time."
        time.sleep(0.01)


def _write_certificate(folder: Path) -> Path:
    """Write a self-signed certificate for loopback, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(utc_now() - timedelta(days=1))
        .not_valid_after(utc_now() + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(_HOST))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "privkey.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, *plain))
    certificate = folder / "fullchain.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return certificate
