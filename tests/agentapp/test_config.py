"""Configuration: what is refused, in which words, and what never appears in them."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agentapp.config import SECOND_ENCODERS, ConfigError, read_config
from agentapp.database import from_url
from agentapp.mail import mail_settings
from agentapp.secret_key import kept_secret_key
from tests.environment import FIXED, REMOVED, REPOSITORY

KEY = "k" * 50


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable at all is set."""
    for name in {*FIXED, *REMOVED} - {"DJANGO_SETTINGS_MODULE"}:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ENV_FILE", str(tmp_path / "env"))
    monkeypatch.setenv("VAR_DIR", str(tmp_path / "var"))


def refused(monkeypatch: pytest.MonkeyPatch, **variables: str) -> list[str]:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as caught:
        read_config()
    return caught.value.sentences


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "0"),
        ("PORT", "65536"),
        ("PORT", "eighty"),
        ("HOST", "not a host"),
        ("DATABASE_URL", "mysql://u:geheim@h/db"),
        ("DATABASE_URL", "postgresql://u:geheim@h:port/db"),
        ("DATABASE_URL", "postgresql://u:geheim@h:5432"),
        ("DATABASE_POOL", "-1"),
        ("DATABASE_PREPARED", "2"),
        ("DISCOVERY_ALL_BELOW", "0"),
        ("DISCOVERY_GROUP_UP_TO", "many"),
        ("DISCOVERY_SHOWN", "21"),
        ("DISCOVERY_EXACT_UP_TO", "-1"),
        ("EMBEDDINGS_BASE_URL", "models.example.com"),
        ("EMBEDDINGS_DIMENSIONS", "4096"),
        ("DEMO", "perhaps"),
        ("DEBUG", "2"),
        ("HTTPS", "x"),
        ("BEHIND_PROXY", "x"),
        ("TRUSTED_PROXIES", "-1"),
        ("SECRET_KEY", "geheim"),
        ("ALLOWED_HOSTS", "*"),
        ("ALLOWED_HOSTS", "example.com,*"),
        ("ALLOWED_HOSTS", "*.example.com"),
        ("ALLOWED_HOSTS", "https://example.com/"),
        ("ALLOWED_HOSTS", ","),
        ("CSRF_TRUSTED_ORIGINS", "example.com"),
        ("CSRF_TRUSTED_ORIGINS", "https://*.example.com"),
        ("CSRF_TRUSTED_ORIGINS", "null"),
        ("OPENAI_BASE_URL", "ftp://geheim@host/v1"),
        ("OPENAI_BASE_URL", "file:///etc/passwd"),
        ("OPENAI_BASE_URL", "https://"),
        ("OPENAI_TIMEOUT_SECONDS", "0"),
        ("OPENAI_TIMEOUT_SECONDS", "soon"),
        ("MODEL_FALLBACK", "sometimes"),
        ("REDIS_URL", "http://geheim@host"),
        ("EMAIL_URL", "pop3://u:geheim@host"),
        ("WORKER_CONCURRENCY", "0"),
        ("SECOND_ENCODER", "largest"),
        ("LOG_LEVEL", "LOUD"),
    ],
)
def test_bad_value_is_refused_by_name_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    sentences = refused(monkeypatch, **({"SECRET_KEY": KEY} | {name: value}))
    assert len(sentences) == 1
    assert sentences[0].startswith(f"{name} is not usable: ")
    assert "Set " in sentences[0]
    assert "geheim" not in sentences[0]


def test_each_bad_variable_has_its_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = refused(monkeypatch, PORT="x", DEMO="x", LOG_LEVEL="x")
    assert [sentence.split()[0] for sentence in sentences] == ["PORT", "DEMO", "LOG_LEVEL"]


def test_secret_key_is_required_outside_the_demonstration(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused(monkeypatch, DEMO="0")[0].startswith("SECRET_KEY is missing")
    monkeypatch.setenv("DEMO", "1")
    assert read_config().demo


def test_debug_is_refused_outside_the_demonstration(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused(monkeypatch, SECRET_KEY=KEY, DEBUG="1")[0].startswith("DEBUG is on")


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "OPENAI_BASE_URL"])
def test_model_name_is_required_with_a_model(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (sentence,) = refused(monkeypatch, SECRET_KEY=KEY, **{name: "https://geheim.example"})
    assert sentence.startswith("OPENAI_MODEL is missing")
    assert "geheim" not in sentence


def test_the_second_encoder_needs_its_packages_and_the_built_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", KEY)
    monkeypatch.setenv("SECOND_ENCODER", "minilm")
    assert read_config().second_encoder == "minilm"
    endpoint = {"BASE_URL": "https://models.example.com/v1", "MODEL": "m", "DIMENSIONS": "9"}
    with monkeypatch.context() as patch:
        (sentence,) = refused(patch, **{f"EMBEDDINGS_{name}": value for name, value in endpoint.items()})
        assert sentence.startswith("SECOND_ENCODER works beside the built-in encoder")
    monkeypatch.setitem(SECOND_ENCODERS, "minilm", ("onnxruntime", "not_there"))
    (sentence,) = refused(monkeypatch)
    assert "make second-encoder" in sentence


def test_safe_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", KEY)
    config = read_config()
    assert (config.demo, config.debug, config.secure_cookies, config.host) == (
        False,
        False,
        True,
        "127.0.0.1",
    )
    assert KEY not in repr(config)


def test_demo_default_yields_to_demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SECRET_KEY", KEY)
    monkeypatch.setenv("DEMO_DEFAULT", "1")
    assert read_config().demo
    (tmp_path / "env").write_text("DEMO=0\n")
    assert not read_config().demo


def test_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "env").write_text("DEMO=1\nPORT=8001\nSITE_NAME=From the file\n")
    monkeypatch.setenv("PORT", "8002")
    config = read_config()
    assert (config.port, config.site_name) == (8002, "From the file")


def test_lists_are_split_at_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO", "1")
    monkeypatch.setenv("ALLOWED_HOSTS", "a.example, b.example,")
    assert read_config().allowed_hosts == ("a.example", "b.example")


def test_process_ends_with_the_sentences_and_nothing_else(tmp_path: Path) -> None:
    environment = os.environ | {"PORT": "nine", "DEMO": "0"}
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
    )
    lines = done.stderr.splitlines()
    assert (done.returncode, len(lines), done.stdout) == (2, 1, "")
    assert lines[0].startswith("PORT is not usable")


def test_secret_key_is_kept_and_private(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "secret_key"
    key = kept_secret_key(path)
    assert len(key) >= 50
    assert kept_secret_key(path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["secret_key"]


def test_database_url_parts() -> None:
    settings = from_url("postgresql://us%40er:p%2Fw@db.example:6543/mandate?sslmode=require")
    options = settings.pop("OPTIONS")
    assert settings == {
        "NAME": "mandate",
        "USER": "us@er",
        "PASSWORD": "p/w",
        "HOST": "db.example",
        "PORT": "6543",
    }
    assert options == {"sslmode": "require"}


def test_mail_of_the_demonstration_goes_to_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DEMO", "1")
    assert mail_settings(read_config())["EMAIL_FILE_PATH"] == str(tmp_path / "var" / "mail")


def test_mail_by_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO", "1")
    monkeypatch.setenv("EMAIL_URL", "smtp+tls://me:p%40ss@mail.example")
    settings = mail_settings(read_config())
    assert settings["EMAIL_HOST_PASSWORD"] == "p@ss"
    assert (settings["EMAIL_PORT"], settings["EMAIL_USE_TLS"]) == (587, True)
