"""Every setting, once. All come from the environment; the defaults run one machine with nothing else installed."""

from functools import lru_cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

PROJECT_ROOT = Path(__file__).resolve().parent.parent


class Settings(BaseSettings):
    """Settings of one process. Without DATABASE_URL and BROKER_URL, CodeJury runs embedded under ``data_dir``."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True)

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
    max_upload_mb: int = Field(256, validation_alias="CODEJURY_MAX_UPLOAD_MB", gt=0)

    @property
    def effective_database_url(self) -> str:
        """The database: the given one, else a SQLite file in the data folder."""
        return self.database_url or f"sqlite:///{(self.data_dir / 'codejury.sqlite3').resolve()}"

    @property
    def mode(self) -> Literal["embedded", "team"]:
        """Embedded: this process starts and watches its worker. Team: workers run on their own."""
        return "team" if self.broker_url else "embedded"

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
        extra = [name.strip() for name in self.allowed_hosts.split(",")]
        own = urlsplit(self.public_url).hostname or ""
        return sorted({name for name in ("localhost", "127.0.0.1", "[::1]", self.host, own, *extra) if name})


@lru_cache
def get_settings() -> Settings:
    """The settings of this process, read once."""
    return Settings()
