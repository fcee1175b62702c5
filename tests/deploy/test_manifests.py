"""The files for containers agree with the program: its settings, addresses and times, and with each other."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from architecture.source import ROOT
from npm_packages import install_packages
from playdock.server.readiness import Readiness
from playdock.settings import Settings
from playdock.web.app import MAX_CLOSE_SECONDS
from playdock.web.health import health_endpoints
from release.lacking import require

CONTAINERFILE = (ROOT / "Containerfile").read_text()
COMPOSE = (ROOT / "compose.yaml", ROOT / "deploy/cluster/compose.yaml")
KUBERNETES = sorted((ROOT / "deploy/kubernetes").glob("*.yaml"))
LIVE_PATH, READY_PATH = "/health/live", "/health/ready"
# Half a second until the signal is noticed, and pauses of the server.
MARGIN_SECONDS = 1
_HTTP_ROUTE = "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute"
_NAMES = {field.name.upper() for field in msgspec.structs.fields(Settings)}


def composed(path: Path) -> dict[str, Any]:
    """Return the services of a compose file that run Playdock."""
    services: dict[str, Any] = yaml.safe_load(path.read_text())["services"]
    return {name: service for name, service in services.items() if "build" in service}


def pods() -> Iterator[Any]:
    for path in KUBERNETES:
        for resource in yaml.safe_load_all(path.read_text()):
            if resource["kind"] == "Deployment":
                yield resource["spec"]["template"]["spec"]


def settings() -> Iterator[dict[str, Any]]:
    """Yield the settings of each container, without values that come from a secret."""
    for path in COMPOSE:
        yield from (service["environment"] for service in composed(path).values())
    for pod in pods():
        yield {each["name"]: each.get("value") for each in pod["containers"][0]["env"]}


def is_enough(grace_seconds: int, configured: dict[str, Any]) -> bool:
    drain = int(configured.get("DRAIN_SECONDS", Settings().drain_seconds))
    return grace_seconds >= drain + MAX_CLOSE_SECONDS + MARGIN_SECONDS


def test_all_settings_exist() -> None:
    configured = list(settings())
    assert len(configured) == 7
    assert [set(each) - _NAMES for each in configured] == [set()] * 7


def test_containers_have_time_to_stop() -> None:
    # What container engines allow if nothing else is said.
    assert is_enough(10, {})
    for path in COMPOSE:
        for service in composed(path).values():
            assert is_enough(int(service.get("stop_grace_period", "10s").rstrip("s")), service["environment"])
    for pod in pods():
        [container] = pod["containers"]
        pause = 5 if "lifecycle" in container else 0
        drain = {each["name"]: each.get("value") for each in container["env"]}
        assert is_enough(pod["terminationGracePeriodSeconds"] - pause, drain)


def test_containers_have_few_permissions() -> None:
    for path in COMPOSE:
        for service in composed(path).values():
            assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
            assert service["security_opt"] == ["no-new-privileges:true"]
    for pod in pods():
        [container] = pod["containers"]
        assert (pod["securityContext"]["runAsUser"], pod["securityContext"]["runAsNonRoot"]) == (10001, True)
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
    assert "USER 10001:10001\n" in CONTAINERFILE


def test_probes_ask_for_the_health() -> None:
    serving = [pod["containers"][0] for pod in pods() if "ports" in pod["containers"][0]]
    paths = {"startupProbe": LIVE_PATH, "livenessProbe": LIVE_PATH, "readinessProbe": READY_PATH}
    for container in serving:
        assert {name: container[name]["httpGet"]["path"] for name in paths} == paths
    assert len(serving) == 2
    assert set(paths.values()) == set(health_endpoints(Readiness()))
    assert f"'http://127.0.0.1:3000{READY_PATH}'" in CONTAINERFILE


def test_the_files_that_are_named_exist() -> None:
    for path in COMPOSE:
        for service in composed(path).values():
            build = service["build"]
            assert (path.parent / build["context"] / build["dockerfile"]).resolve() == ROOT / "Containerfile"
    included = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert [name for name in included if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.parent.name)
def test_compose_accepts_its_files(path: Path, tmp_path: Path) -> None:
    try:
        subprocess.run(["docker", "compose", "version"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("COMPOSE FILES ARE NOT READ BY DOCKER: `docker compose` is missing.")
    (tmp_path / "env").write_text("POSTGRES_PASSWORD=p\nSECRET_KEY=s\n")
    command: list[str | Path] = [
        "docker",
        "compose",
        "--env-file",
        tmp_path / "env",
        "--file",
        path,
        "config",
        "--quiet",
    ]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.network
def test_kubernetes_accepts_its_manifests(tmp_path: Path) -> None:
    """The schemas of all releases of Kubernetes are 70 MB, which are not installed for other tests."""
    uv, python = Path(sys.executable).with_name("uv"), tmp_path / "environment/bin/python"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, tmp_path / "environment"], check=True)
    locked = ["--require-hashes", "--requirement", str(ROOT / "requirements/kubernetes.txt")]
    subprocess.run([uv, "pip", "install", "--quiet", "--python", python, *locked], check=True)
    # The schema of an HTTPRoute does not belong to Kubernetes; the next test has it.
    core = [path for path in KUBERNETES if path.name != "gateway.yaml"]
    for release in ("1.30", "1.37"):
        command: list[str | Path] = [
            python.with_name("kubernetes-validate"),
            "--strict",
            "--kubernetes-version",
            release,
            *core,
        ]
        checked = subprocess.run(command, capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr


@pytest.mark.network
def test_the_gateway_api_accepts_its_route(tmp_path: Path) -> None:
    """Its types refuse unknown fields, and its schema what types do not express."""
    require("npm", "node")
    install_packages("gateway", tmp_path)
    route = json.dumps(yaml.safe_load((ROOT / "deploy/kubernetes/gateway.yaml").read_text()))
    typed = f'import type {{ IHTTPRoute }} from "{_HTTP_ROUTE}";\nexport const route: IHTTPRoute = {route};\n'
    (tmp_path / "route.ts").write_text(typed)
    validated = f'import {{ HTTPRoute }} from "{_HTTP_ROUTE}";\nnew HTTPRoute({route}).validate();\n'
    (tmp_path / "route.mjs").write_text(validated)
    compiler = ["node", str(ROOT / "web/node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--skipLibCheck"]
    for command in ([*compiler, "--module", "preserve", "route.ts"], ["node", "route.mjs"]):
        checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stdout + checked.stderr
