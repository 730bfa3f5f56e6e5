"""Every setting, once. All come from the environment; the defaults run one machine with nothing else installed."""

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, SecretStr, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from app import addresses
from app.logs import Form, Level
from app.misspelt import refuse_unknown
from app.production import shortcomings

PROJECT_ROOT = Path(__file__).resolve().parent.parent
ADDRESSES = {
    "broker_url": ("redis://", "rediss://"),
    "bucket": ("s3://",),
    "bucket_endpoint": ("https://", "http://"),
    "base_url": ("https://", "http://"),
    "otlp_endpoint": ("https://", "http://"),
}
LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class OpenIDSettings:
    """An OpenID Connect provider, and who may come by it."""

    issuer: str
    client_id: str
    client_secret: SecretStr
    domain: str = ""
    name: str = ""


class Settings(BaseSettings):
    """Settings of one process. Without DATABASE_URL and BROKER_URL, CodeJury runs embedded under ``data_dir``."""

    # An empty variable is none: files of variables leave empty what they don't set.
    model_config = SettingsConfigDict(extra="ignore", frozen=True, env_ignore_empty=True, hide_input_in_errors=True)

    # In production, settings that endanger people's work are refused (app/production.py).
    environment: Literal["development", "production"] = Field("development", validation_alias="CODEJURY_ENV")
    data_dir: Path = Field(Path("data"), validation_alias="CODEJURY_DATA_DIR")
    host: str = Field("127.0.0.1", validation_alias="HOST")
    port: int = Field(8000, validation_alias="PORT", ge=0, le=65535)
    database_url: str | None = Field(None, validation_alias="DATABASE_URL")
    broker_url: str | None = Field(None, validation_alias="BROKER_URL")
    base_url: str | None = Field(None, validation_alias=AliasChoices("CODEJURY_BASE_URL", "BASE_URL"))
    # Further names, separated by commas, under which browsers reach this installation ("*": any).
    allowed_hosts: str = Field("", validation_alias="CODEJURY_ALLOWED_HOSTS")
    # Cookies are marked Secure behind TLS; plain http is for one's own machine.
    https: bool = Field(False, validation_alias="CODEJURY_HTTPS")
    # Reverse proxies, as addresses or networks with commas between them, whose word on who asks is believed.
    proxies: str = Field("127.0.0.1,::1", validation_alias="CODEJURY_PROXIES")
    # Webhooks go to public addresses by https only, unless this allows those of one's own network, too.
    webhooks_private: bool = Field(False, validation_alias="CODEJURY_WEBHOOKS_PRIVATE")
    max_upload_mb: int = Field(256, validation_alias="CODEJURY_MAX_UPLOAD_MB", gt=0)
    # Uploads and artifacts in s3://bucket/prefix instead of the data folder; the endpoint of whom, if not of AWS.
    bucket: str | None = Field(None, validation_alias="CODEJURY_BUCKET")
    bucket_endpoint: str | None = Field(None, validation_alias="CODEJURY_BUCKET_ENDPOINT")
    # METEOR and changes by synonyms look it up by themselves, since they know no settings.
    wordnet_dir: Path | None = Field(None, validation_alias="CODEJURY_WORDNET_DIR")
    # Where the sandbox's host listens; the default lies in the data folder.
    runner_socket: Path | None = Field(None, validation_alias="CODEJURY_RUNNER_SOCKET")
    # Both together let programs run without a sandbox where none can be built: labelled on every result.
    sandbox: Literal["auto", "none"] = Field("auto", validation_alias="CODEJURY_SANDBOX")
    accept_no_isolation: Literal["no", "yes"] = Field("no", validation_alias="CODEJURY_ACCEPT_NO_ISOLATION")
    # Models, by name and with commas between them, whose own code may run (transformers' trust_remote_code).
    trusted_models: str = Field("", validation_alias="CODEJURY_TRUSTED_MODELS")
    # Two translation models with a comma between them, the way there and the way back: BackTranslation asks them.
    back_translation: str = Field("", validation_alias="CODEJURY_BACK_TRANSLATION")
    # A masked language model, such as CodeBERT's: VarRenamerCB asks it for names.
    masked_model: str = Field("", validation_alias="CODEJURY_MASKED_MODEL")
    # Signing in through an OpenID Connect provider: the first three, or none of them.
    oidc_issuer: str | None = Field(None, validation_alias="CODEJURY_OIDC_ISSUER")
    oidc_client_id: str | None = Field(None, validation_alias="CODEJURY_OIDC_CLIENT_ID")
    oidc_client_secret: SecretStr | None = Field(None, validation_alias="CODEJURY_OIDC_CLIENT_SECRET")
    # Whoever has a confirmed address in this domain becomes a researcher; without it, whom an admin added.
    oidc_domain: str = Field("", validation_alias="CODEJURY_OIDC_DOMAIN")
    oidc_name: str = Field("", validation_alias="CODEJURY_OIDC_NAME")  # as people call it
    # Whoever bears this token may read /metrics; without one nobody may.
    metrics_token: SecretStr | None = Field(None, validation_alias="CODEJURY_METRICS_TOKEN")
    # What is logged from which level on, and how: by default what suits the mode and the environment.
    log_level: Level | None = Field(None, validation_alias="CODEJURY_LOG_LEVEL")
    log_form: Form | None = Field(None, validation_alias="CODEJURY_LOG_FORM")
    # Where traces go, by OTLP over http; without it none are made.
    otlp_endpoint: str | None = Field(None, validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT")

    @field_validator("database_url")
    @classmethod
    def _check_database(cls, url: str | None) -> str | None:
        """PostgreSQL by the one driver that is installed, however its address begins; or SQLite."""
        url = url and re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", url)
        if url and not url.startswith(("postgresql+psycopg://", "sqlite:///")):
            raise ValueError("It must begin with postgresql:// or sqlite:///.")
        if url and not url.startswith("sqlite:///") and not addresses.is_postgres(url):
            raise ValueError(
                "It must look like postgresql://user:password@host:5432/database. The port is a number; in user and "
                "password write @ as %40, / as %2F, ? as %3F, # as %23 and % as %25."
            )
        return url

    @field_validator(*ADDRESSES)
    @classmethod
    def _check_address(cls, url: str | None, field: ValidationInfo) -> str | None:
        beginnings = ADDRESSES[str(field.field_name)]
        if url and not addresses.host_of(url, beginnings):
            raise ValueError(f"It must begin with {' or '.join(beginnings)} and go on with a name.")
        return url

    @field_validator("base_url")
    @classmethod
    def _check_plain(cls, url: str | None) -> str | None:
        """It begins the links that people get: what hangs on it would be shown to them, or break every link."""
        if url and set("@?#") & set(url):
            raise ValueError(
                "Links begin with it, so it must hold no user, password, ? or #: https://jury.example.org alone."
            )
        return url

    @field_validator("allowed_hosts")
    @classmethod
    def _check_hosts(cls, names: str) -> str:
        for name in addresses.listed(names):
            if name != "*" and not addresses.is_host(name.removeprefix("*.")):
                raise ValueError(
                    f"{addresses.shown(name)!r} is no host name. It must name hosts as browsers send them, without "
                    "https:// and port: jury.example.org, or *.example.org for all names in it."
                )
        return names

    @field_validator("proxies")
    @classmethod
    def _check_proxies(cls, proxies: str) -> str:
        wrong = [each for each in addresses.listed(proxies) if not addresses.is_network(each)]
        if wrong and proxies != "*":
            raise ValueError(
                f"{addresses.shown(wrong[0])!r} is no address and no network. It must list those of reverse proxies, "
                "such as 127.0.0.1, 10.0.0.0/24."
            )
        return proxies

    @field_validator("back_translation")
    @classmethod
    def _check_pair(cls, models: str) -> str:
        if len(addresses.listed(models)) not in (0, 2):
            raise ValueError("It must name two models, the way there and the way back: EN_DE_FOLDER,DE_EN_FOLDER.")
        return models

    @model_validator(mode="after")
    def _check_production(self) -> Self:
        if self.environment == "production" and (found := shortcomings(self, os.environ)):
            raise ValueError("\n".join(found))
        return self

    @field_validator("oidc_issuer")
    @classmethod
    def _encrypted(cls, issuer: str | None) -> str | None:
        is_encrypted = issuer and addresses.host_of(issuer, ("https://",))
        if issuer and not is_encrypted and addresses.host_of(issuer, ("http://",)) not in LOOPBACK:
            raise ValueError("Its address must begin with https://.")
        return issuer

    @model_validator(mode="after")
    def _whole(self) -> Self:
        given = [bool(each) for each in (self.oidc_issuer, self.oidc_client_id, self.oidc_client_secret)]
        if any(given) and not all(given):
            raise ValueError(
                "CODEJURY_OIDC_ISSUER, _CLIENT_ID and _CLIENT_SECRET go together: set all three or none."
            )
        return self

    @property
    def openid(self) -> "OpenIDSettings | None":
        """The provider by which people may sign in."""
        if not (self.oidc_issuer and self.oidc_client_id and self.oidc_client_secret):
            return None
        names = (self.oidc_domain, self.oidc_name)
        return OpenIDSettings(self.oidc_issuer, self.oidc_client_id, self.oidc_client_secret, *names)

    @property
    def effective_database_url(self) -> str:
        """The database: the given one, else a SQLite file in the data folder."""
        return self.database_url or f"sqlite:///{(self.data_dir / 'codejury.sqlite3').resolve()}"

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is a file, which one machine's processes share at most."""
        return self.effective_database_url.startswith("sqlite")

    @property
    def runner_path(self) -> Path:
        """Where the sandbox's host listens."""
        return self.runner_socket or self.data_dir / "runner" / "socket"

    @property
    def allows_no_isolation(self) -> bool:
        """Whether programs may run without a sandbox. Said twice, so that nobody says it by accident."""
        return self.sandbox == "none" and self.accept_no_isolation == "yes"

    @property
    def models_with_code(self) -> frozenset[str]:
        """Names of the models whose own code may run."""
        return frozenset(addresses.listed(self.trusted_models))

    @property
    def translation_models(self) -> tuple[str, str] | None:
        """The models for BackTranslation, there and back."""
        match addresses.listed(self.back_translation):
            case [there, back]:
                return there, back
        return None

    @property
    def mode(self) -> Literal["embedded", "team"]:
        """Embedded: this process starts and watches its worker. Team: workers run on their own."""
        return "team" if self.broker_url else "embedded"

    @property
    def effective_log_level(self) -> Level:
        """A line for each request is for a team's logs; in a single user's terminal it would hide what matters."""
        return self.log_level or ("info" if self.mode == "team" else "warning")

    @property
    def effective_log_form(self) -> Form:
        """Machines read the logs of production."""
        return self.log_form or ("json" if self.environment == "production" else "text")

    @property
    def artifacts_dir(self) -> Path:
        """Where uploads and exports lie, named by their content."""
        return self.data_dir / "artifacts"

    @property
    def public_url(self) -> str:
        """How a browser reaches this installation."""
        return (self.base_url or f"http://{self.host}:{self.port}").rstrip("/")

    @property
    def known_hosts(self) -> list[str]:
        """Host names that requests may name. Others are refused: they are forged, or a rebound DNS name."""
        extra = addresses.listed(self.allowed_hosts)
        own = urlsplit(self.public_url).hostname or ""
        return sorted({name for name in ("localhost", "127.0.0.1", "[::1]", self.host, own, *extra) if name})


@lru_cache
def get_settings() -> Settings:
    """The settings of this process, read once. InvalidInput names those that nobody knows."""
    refuse_unknown(os.environ, known_names())
    return Settings()


def known_names() -> frozenset[str]:
    """The environment variables that are settings."""
    aliases = (field.validation_alias for field in Settings.model_fields.values())
    choices = (each.choices if isinstance(each, AliasChoices) else [each] for each in aliases)
    return frozenset(str(name) for names in choices for name in names)
