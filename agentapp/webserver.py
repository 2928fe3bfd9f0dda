"""daphne, with bodies of bounded size."""

from daphne import http_protocol

from agentapp.bodies import MAX_BODY

#: So much of a body that is too large is thrown away before its connection is closed.
_PATIENCE = 20 * MAX_BODY


class BoundedRequest(http_protocol.WebRequest):
    """daphne reads a whole body before it hands the request over: this one keeps no more than is admitted."""

    _seen = 0

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 - its name is Twisted's
        self._seen += len(data)
        if self._seen <= MAX_BODY:
            super().handleContentChunk(data)
        elif self._seen > _PATIENCE:
            self.loseConnection()

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:  # noqa: N802
        """Hand what is too large over as nothing but its length: what was kept of it is no form to parse."""
        if self._seen > MAX_BODY:
            self.content.seek(0)
            self.content.truncate()
            self.requestHeaders.setRawHeaders(b"content-length", [str(self._seen).encode()])
            self.requestHeaders.setRawHeaders(b"content-type", [b"application/octet-stream"])
        super().requestReceived(command, path, version)


def bound_daphne() -> None:
    """Make daphne's requests bounded ones; it offers no setting for it."""
    http_protocol.WebRequest = BoundedRequest
