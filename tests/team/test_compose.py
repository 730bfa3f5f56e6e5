"""docker-compose.yml keeps to the Compose Specification and to what it promises. No engine is needed to see that."""

import ipaddress

import jsonschema
import pytest
import yaml

from app.config import PROJECT_ROOT, known_names
from app.misspelt import refuse_unknown
from app.production import weakness
from tests.team.compose import FILLED_IN, VARIABLE, Unset, read_compose, read_service
from tests.team.compose_schema import SCHEMA
from tests.team.dockerfile import environment_of, read_stages
from workers.runner import refuse_secrets

SERVICES = read_compose()["services"]
OURS = [name for name, service in SERVICES.items() if "build" in service]


def test_it_has_the_services_of_a_team() -> None:
    assert set(SERVICES) == {
        "proxy", "web", "worker-cpu", "worker-gpu", "runner", "migrate", "postgres", "redis",
    }  # fmt: skip
    assert SERVICES["worker-gpu"]["profiles"] == ["gpu"]


def test_it_keeps_to_the_specification() -> None:
    jsonschema.validate(read_compose(), SCHEMA)


@pytest.mark.parametrize(
    "slip",
    [
        {"services": {"web": {"comand": ["web"]}}},
        {"services": {"web": {"depends_on": {"x": {"condition": "healthy"}}}}},
        {"services": {"web": {"restart": False}}},
        {"services": {"web": {"environment": {"A": True}}}},
        {"services": {"web": {"healthcheck": {"interval": "30"}}}},
        {"service": {}},
    ],
)
def test_the_schema_finds_slips(slip: object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(slip, SCHEMA)


def test_names_lead_somewhere() -> None:
    whole = read_compose()
    for service in SERVICES.values():
        assert set(service.get("depends_on", ())) <= set(SERVICES)
        assert set(service.get("networks", ())) <= set(whole["networks"])
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source in whole["volumes"] or (PROJECT_ROOT / source).is_file()
        if "build" in service:
            assert service["build"]["target"] in read_stages()


def test_every_secret_must_be_filled_in() -> None:
    empty = dict(_example())
    for name in FILLED_IN:
        assert empty[name] == ""
        with pytest.raises(Unset, match=f"{name}: see .env.example"):
            read_compose({**FILLED_IN, name: ""})


def test_the_example_names_every_variable_and_no_secret() -> None:
    used = {found[0] for found in VARIABLE.findall((PROJECT_ROOT / "docker-compose.yml").read_text(encoding="utf-8"))}
    assert set(dict(_example())) == used
    assert all(weakness(value) for _, value in _example()), "what stands there must not be taken for a secret"


def _example() -> list[tuple[str, str]]:
    lines = (PROJECT_ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    return [(name, value) for name, _, value in (line.partition("=") for line in lines) if name and name[0] != "#"]


@pytest.mark.parametrize("name", OURS)
def test_our_services_know_only_settings_that_there_are(name: str) -> None:
    refuse_unknown(SERVICES[name]["environment"] | environment_of("app"), known_names())


@pytest.mark.parametrize("name", OURS)
def test_our_services_may_do_nothing_but_their_work(name: str) -> None:
    service = SERVICES[name]
    assert (service["read_only"], service["cap_drop"], service["init"]) == (True, ["ALL"], True)
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "/var/run/docker.sock" not in str(service)


def test_only_the_proxy_is_reached_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert "back" not in SERVICES["proxy"]["networks"]
    for name in ("postgres", "redis", "migrate"):
        assert SERVICES[name]["networks"] == ["back"]
    assert read_compose()["networks"]["back"]["internal"] is True


def test_the_runner_has_no_network_and_no_secrets() -> None:
    runner = read_service("runner")
    assert runner["network_mode"] == "none"
    assert "networks" not in runner
    assert runner["environment"].keys() == {"CODEJURY_RUNNER_SOCKET"}
    refuse_secrets(runner["environment"] | environment_of("app"))
    assert [volume.partition(":")[0] for volume in runner["volumes"]] == ["runner"]
    assert {"pids_limit", "mem_limit", "memswap_limit", "tmpfs"} <= runner.keys()


def test_workers_wait_for_the_schema_and_take_their_queues() -> None:
    for name in ("web", "worker-cpu", "worker-gpu"):
        assert SERVICES[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert SERVICES["migrate"]["restart"] == "no"
    assert SERVICES["worker-cpu"]["command"][:5] == ["worker", "--queue", "cpu", "--queue", "runner"]
    assert SERVICES["worker-gpu"]["command"] == ["worker", "--queue", "gpu", "--concurrency", "1"]


def test_the_proxy_is_believed_and_nobody_else() -> None:
    (front,) = read_compose()["networks"]["front"]["ipam"]["config"]
    assert SERVICES["web"]["environment"]["CODEJURY_PROXIES"] == front["subnet"]
    assert ipaddress.ip_network(front["subnet"]).is_private


def test_the_proxy_leads_to_the_pages() -> None:
    caddy = (PROJECT_ROOT / "deploy" / "Caddyfile").read_text(encoding="utf-8")
    assert f"reverse_proxy web:{environment_of('app')['PORT']}" in caddy
    assert caddy.count("{") == caddy.count("}")
    assert "CODEJURY_DOMAIN" in SERVICES["proxy"]["environment"]


def test_yaml_reads_no_word_as_something_else() -> None:
    """An unquoted yes, no or 8000:80 is not the text that it looks like."""
    for service in yaml.safe_load((PROJECT_ROOT / "docker-compose.yml").read_text(encoding="utf-8"))[
        "services"
    ].values():
        assert all(isinstance(word, str) for word in service.get("command", ()))
        assert all(isinstance(value, str) for value in service.get("environment", {}).values())
