"""The environment of a test run: the demonstration's settings, nothing of the developer's own.

Imported before Django's settings, by ``conftest.py``.
"""

import os
from collections.abc import Collection
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
VAR_DIR = REPOSITORY / "var" / "test"
#: Shared by all processes of one test run; unique among test runs on this machine.
RUN_ID = os.environ.setdefault("MANDATE_TEST_RUN", str(os.getpid()))

FIXED = {
    "DJANGO_SETTINGS_MODULE": "agentapp.settings",
    "ENV_FILE": os.devnull,
    "DEMO": "1",
    "DEBUG": "0",
    "VAR_DIR": str(VAR_DIR),
    "SECRET_KEY": "only-for-tests-" * 4,
    "DATABASE_POOL": "0",
    "LOG_LEVEL": "WARNING",
}
REMOVED = (
    "ALLOWED_HOSTS", "BEHIND_PROXY", "CSRF_TRUSTED_ORIGINS", "DATABASE_PREPARED",
    "DATABASE_URL", "DEMO_DEFAULT",
    "DISCOVERY_ALL_BELOW", "DISCOVERY_EXACT_UP_TO", "DISCOVERY_GROUP_UP_TO", "DISCOVERY_SHOWN",
    "EMBEDDINGS_API_KEY", "EMBEDDINGS_BASE_URL", "EMBEDDINGS_DIMENSIONS", "EMBEDDINGS_MODEL",
    "EMAIL_FROM", "EMAIL_URL", "HOST", "HTTPS", "MCP_COMMANDS", "MCP_PRIVATE_HOSTS", "MODEL_FALLBACK",
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_TIMEOUT_SECONDS", "PGDATA_DIR", "PORT",
    "PYTHONDONTWRITEBYTECODE",  # the processes that tests start would compile every module each time
    "REDIS_URL", "SECOND_ENCODER", "SITE_NAME", "TRUSTED_PROXIES", "WORKER_CONCURRENCY",
)  # fmt: skip


def enter(keep: Collection[str] = ()) -> None:
    """Make this process's environment the tests' one, but for the variables in `keep`."""
    os.environ.update(FIXED)
    for name in set(REMOVED).difference(keep):
        os.environ.pop(name, None)
