"""What an endpoint's SDK client is made of, whatever is asked of the endpoint: no SDK is imported here."""

from collections.abc import Callable
from typing import Any, TypedDict

import httpx2

from agentapp.kernel.errors import Misconfigured
from agentapp.kernel.transport import BoundedTransport


class SdkClient(TypedDict):
    """The arguments of `openai.OpenAI`."""

    api_key: str
    base_url: str
    max_retries: int
    http_client: httpx2.Client


def sdk_client(
    address: str,
    api_key: str | None,
    *,
    variable: str,
    refuse: Callable[[httpx2.Response], None],
    max_connections: int = 100,
) -> SdkClient:
    """Return the arguments of a client for `address`: bounded, following nobody, trying once.

    `refuse` raises for an answer with an error status, before the SDK reads its whole body. Raises
    Misconfigured naming `variable` for what is no key.
    """
    key = (api_key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise Misconfigured(f"{variable} holds characters that no key has. Set it to the key alone.")
    hooks: dict[str, list[Callable[..., Any]]] = {"response": [refuse]}
    http_client = httpx2.Client(
        transport=BoundedTransport(address, max_connections=max_connections),
        event_hooks=hooks,
        follow_redirects=False,
        trust_env=False,
    )
    # The SDK insists on a key, an endpoint on the own machine has none. Retries are the callers' own.
    return SdkClient(api_key=key or "none", base_url=address, max_retries=0, http_client=http_client)
