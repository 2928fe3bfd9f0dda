"""The one error of the embedded server."""


class EmbeddedError(Exception):
    """The embedded PostgreSQL cannot be used; the message says why and what to do."""
