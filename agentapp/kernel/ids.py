"""Identifiers: UUIDv7, so that they sort by the moment they were made (RFC 9562)."""

from uuid import UUID

import uuid6


def uuid7() -> UUID:
    """Return a new UUIDv7 as a plain :class:`uuid.UUID` (psycopg and Django know no other)."""
    return UUID(int=uuid6.uuid7().int)
