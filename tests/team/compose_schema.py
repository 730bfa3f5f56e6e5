"""What the Compose Specification says of the words that docker-compose.yml uses; other words are mistakes here."""

from typing import Any

TEXT: dict[str, Any] = {"type": "string"}
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT, "uniqueItems": True}
COMMAND: dict[str, Any] = {"oneOf": [{"type": "null"}, TEXT, {"type": "array", "items": TEXT}]}
DURATION: dict[str, Any] = {"type": "string", "pattern": r"^(\d+(\.\d+)?(h|m|s|ms|us))+$"}
BYTES: dict[str, Any] = {"type": ["string", "integer"], "pattern": r"^\d+(b|k|kb|m|mb|g|gb)?$"}
NAME = r"^[a-zA-Z0-9._-]+$"


def record(**properties: dict[str, Any]) -> dict[str, Any]:
    """An object with these members and no others."""
    return {"type": "object", "properties": properties, "additionalProperties": False}


def named(value: dict[str, Any]) -> dict[str, Any]:
    """Things by their names."""
    return {"type": "object", "patternProperties": {NAME: value}, "additionalProperties": False}


# A map's values must be scalars, and an unquoted yes would become a boolean, which is none here.
ENVIRONMENT: dict[str, Any] = {
    "type": "object",
    "patternProperties": {r"^.+$": {"type": ["string", "number", "null"]}},
    "additionalProperties": False,
}
CONDITIONS = ["service_started", "service_healthy", "service_completed_successfully"]
DEPENDENCIES = named(record(condition={"enum": CONDITIONS}) | {"required": ["condition"]})
HEALTH: dict[str, Any] = record(
    disable={"type": "boolean"},
    test={"oneOf": [TEXT, TEXTS]},
    interval=DURATION,
    timeout=DURATION,
    start_period=DURATION,
    retries={"type": "integer"},
)
DEVICE = record(driver=TEXT, count={"type": ["integer", "string"]}, capabilities=TEXTS) | {
    "required": ["capabilities"]
}
DEPLOYMENT = record(resources=record(reservations=record(devices={"type": "array", "items": DEVICE})))
SERVICE = record(
    build=record(context=TEXT, target=TEXT),
    cap_add=TEXTS,
    cap_drop=TEXTS,
    command=COMMAND,
    depends_on=DEPENDENCIES,
    deploy=DEPLOYMENT,
    environment=ENVIRONMENT,
    healthcheck=HEALTH,
    image=TEXT,
    init={"type": "boolean"},
    mem_limit=BYTES,
    memswap_limit=BYTES,
    network_mode=TEXT,
    networks=TEXTS,
    pids_limit={"type": "integer"},
    ports={"type": "array", "items": {"type": "string", "pattern": r"^[\d.:]+(/(tcp|udp))?$"}, "uniqueItems": True},
    profiles=TEXTS,
    read_only={"type": "boolean"},
    restart={"type": "string", "pattern": r"^(no|always|unless-stopped|on-failure(:\d+)?)$"},
    security_opt=TEXTS,
    shm_size=BYTES,
    stop_grace_period=DURATION,
    tmpfs=TEXTS,
    volumes={"type": "array", "items": {"type": "string", "pattern": r"^[^:]+:/[^:]+(:ro)?$"}, "uniqueItems": True},
)
NETWORK = {"oneOf": [{"type": "null"}, record(internal={"type": "boolean"}, ipam=record(config={
    "type": "array", "items": record(subnet=TEXT)}))]}  # fmt: skip
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": r"^[a-z0-9][a-z0-9_-]*$"},
        "services": named(SERVICE),
        "networks": named(NETWORK),
        "volumes": named({"type": "null"}),
    },
    "patternProperties": {"^x-": {}},
    "additionalProperties": False,
    "required": ["services"],
}
