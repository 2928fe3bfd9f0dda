"""The data folder: made once, whole or not at all; and the roles and databases inside."""

import shutil
import subprocess

import psycopg
from psycopg import sql

from agentapp.embedded.errors import EmbeddedError
from agentapp.embedded.places import PORT, Places, programs

VERSION = "18"
SUPERUSER = "postgres"
#: Django connects as this role. It owns its database, but is no superuser.
APP_ROLE = "mandate_app"
DATABASE = "mandate"


def make_cluster(places: Places, durable: bool = True) -> None:
    """Run ``initdb`` unless the data folder is complete. Built beside it, then renamed into place."""
    if (places.data / "PG_VERSION").exists():
        _require_version(places)
        return
    draft = places.data.with_name(f"{places.data.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700)
    places.account.own(draft)
    _initdb(places, str(draft), durable)
    if places.data.exists():
        places.data.rmdir()
    draft.rename(places.data)


def _require_version(places: Places) -> None:
    found = (places.data / "PG_VERSION").read_text().strip()
    if found != VERSION:
        raise EmbeddedError(
            f"{places.data} was written by PostgreSQL {found}; this is {VERSION}. "
            "Dump it with the old version, or set PGDATA_DIR to another folder."
        )


def _initdb(places: Places, target: str, durable: bool) -> None:
    arguments = [
        str(programs(places.account) / "initdb"), "--pgdata", target, "--username", SUPERUSER,
        "--auth=trust", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8",
        "--locale=C",
    ]  # fmt: skip
    if not durable:
        arguments.append("--no-sync")
    done = subprocess.run(
        arguments, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, cwd="/",
        env=server_environment(), **places.account.process_options(),
    )  # fmt: skip
    if done.returncode:
        raise EmbeddedError(f"The embedded PostgreSQL could not be set up: {done.stderr.strip()[-500:]}")


def server_environment() -> dict[str, str]:
    """Nothing of ours goes to the server: no PG* variable, no secret."""
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


def fill_cluster(places: Places) -> None:
    """Role, ``vector`` in the template (so in every new database), database. Repeating is harmless."""
    with superuser(places, "postgres") as server:
        if server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            return
        if not server.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [APP_ROLE]).fetchone():
            server.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEDB").format(sql.Identifier(APP_ROLE)))
        with superuser(places, "template1") as template:
            template.execute("CREATE EXTENSION IF NOT EXISTS vector")
        names = (sql.Identifier(DATABASE), sql.Identifier(APP_ROLE))
        server.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(*names))


def superuser(places: Places, database: str) -> psycopg.Connection:
    """An autocommitting connection as the superuser; close it, or use it as a context."""
    return psycopg.connect(
        host=str(places.socket_dir), port=PORT, user=SUPERUSER, dbname=database, autocommit=True
    )
