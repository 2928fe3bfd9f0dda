"""The transport under the SDK: TLS, proxies, and one deadline through all of it."""

import datetime
import ipaddress
import ssl
import time
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from agentapp.kernel.errors import ModelUnavailable
from tests.loopback import ModelServer, turns
from tests.loopback.turns import text
from tests.runs.llm.samples import KEY, ask, model_at, request

PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxy_but_the_tests_own(monkeypatch):
    for name in PROXY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate of 127.0.0.1 that signed itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "loopback.pem"
    no_password = serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, no_password)
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


def server_side(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def test_an_https_endpoint_with_a_certificate_we_trust(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with ModelServer(text("Hello"), text("again"), tls=server_side(certificate)) as server:
        with model_at(server.base_url) as model:
            assert [ask(model).text, ask(model).text] == ["Hello", "again"]
        assert server.connections == 1


def test_the_deadline_holds_under_tls_as_well(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    slow = text("Hello " * 40).but(header_pace=0.03)
    begun = time.monotonic()
    with (
        ModelServer(slow, tls=server_side(certificate)) as server,
        model_at(server.base_url) as model,
        pytest.raises(ModelUnavailable) as caught,
    ):
        ask(model, request(timeout_seconds=0.5))

    assert caught.value.data["reason"] == "timeout"
    assert time.monotonic() - begun < 10


def test_a_certificate_nobody_vouches_for_is_refused(certificate):
    with (
        ModelServer(tls=server_side(certificate)) as server,
        model_at(server.base_url) as model,
        pytest.raises(ModelUnavailable) as caught,
    ):
        ask(model)

    assert caught.value.data["reason"] == "unreachable"
    assert server.received == []


def test_the_environments_proxy_is_used(monkeypatch):
    with ModelServer(text("Hello")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.base_url.removesuffix("/v1").replace("//", "//me:a%20word@"))
        with model_at("http://model.example/v1") as model:
            assert ask(model).text == "Hello"
        headers = proxy.received[0].headers

    assert headers["host"] == "model.example"
    assert headers["proxy-authorization"].startswith("Basic ")


def test_no_proxy_for_what_the_environment_excepts(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with ModelServer(text("Hello")) as server, model_at(server.base_url) as model:
        assert ask(model).text == "Hello"


def test_the_key_goes_to_the_endpoint_and_nowhere_else():
    with ModelServer(text("x")) as elsewhere:
        moved = turns.status(307, location=f"{elsewhere.base_url}/chat/completions")
        with (
            ModelServer(moved) as server,
            model_at(server.base_url) as model,
            pytest.raises(ModelUnavailable),
        ):
            ask(model)
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
        assert elsewhere.received == []
        elsewhere.turn_for(server.received[0])
