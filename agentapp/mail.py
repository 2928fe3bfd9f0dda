"""Django's mail settings from one EMAIL_URL."""

from typing import Any
from urllib.parse import unquote, urlsplit

from agentapp.config import Config

BACKENDS = "django.core.mail.backends"
DEFAULT_PORTS = {"smtp": 25, "smtps": 465, "smtp+tls": 587}
TIMEOUT_SECONDS = 20


def mail_settings(config: Config) -> dict[str, Any]:
    """smtp://, smtps://, smtp+tls://, file:///folder or console://; the demonstration writes files."""
    if config.email_url is None:
        return _files(str(config.var_dir / "mail")) if config.demo else _smtp("smtp://localhost")
    url = config.email_url.get_secret_value()
    scheme = urlsplit(url).scheme
    if scheme == "console":
        return {"EMAIL_BACKEND": f"{BACKENDS}.console.EmailBackend"}
    return _files(unquote(urlsplit(url).path)) if scheme == "file" else _smtp(url)


def _files(folder: str) -> dict[str, Any]:
    return {"EMAIL_BACKEND": f"{BACKENDS}.filebased.EmailBackend", "EMAIL_FILE_PATH": folder}


def _smtp(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    return {
        "EMAIL_BACKEND": f"{BACKENDS}.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname or "localhost",
        "EMAIL_PORT": parts.port or DEFAULT_PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_TIMEOUT": TIMEOUT_SECONDS,
    }
