"""What another system said, as it may stand in a log."""

import re

_SECRET = re.compile(r"(?i)(bearer\s+\S+|\b(?:sk|pk|key|api|gsk)[-_][\w*-]{4,})")
_DETAIL_LENGTH = 500


def redacted(words: str) -> str:
    """Return `words` short, on one line, without anything that looks like a key."""
    return _SECRET.sub("[key]", " ".join(words.split()))[:_DETAIL_LENGTH]
