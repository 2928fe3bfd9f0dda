"""Personal tokens: making the secret, and recognising it."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import ApiToken, Scope, User
from agentapp.kernel.errors import NotAllowed, NotSignedIn

#: Lets secret scanners and people recognise what was leaked.
MARK = "mandate"
_PUBLIC_BYTES = 6
_SECRET_BYTES = 32
_TOUCH_EVERY = timedelta(minutes=1)
#: Compared against when no token has the prefix, so that the answer takes as long.
_NOBODY = hashlib.sha256(secrets.token_bytes(_SECRET_BYTES)).hexdigest()


@dataclass(frozen=True)
class Minted:
    """A new secret: what is kept of it, and what is shown once."""

    prefix: str
    hash: str
    secret: str


def mint() -> Minted:
    """Return a new secret, "mandate_<12 hex digits>_<43 characters>"."""
    prefix = f"{MARK}_{secrets.token_hex(_PUBLIC_BYTES)}"
    secret = f"{prefix}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    return Minted(prefix, _hash(secret), secret)


def authenticate(raw: str, scope: Scope | str) -> User:
    """Return the person `raw` stands for.

    Raises NotSignedIn for a token that is unknown, revoked, expired, or of an inactive person (one answer for
    all four), NotAllowed for a good token without `scope`.
    """
    token = _find(raw)
    kept = token.hash if token else _NOBODY
    if not hmac.compare_digest(kept, _hash(raw)) or token is None or not _usable(token):
        raise NotSignedIn(_("This token is not valid (any more). Make a new one on your profile page."))
    if Scope(scope).value not in token.scopes:
        raise NotAllowed(_("This token does not have the scope “%(scope)s”.") % {"scope": Scope(scope).value})
    _touch(token)
    return token.user


def _find(raw: str) -> ApiToken | None:
    if not (raw.isascii() and raw.isprintable()):
        return None
    prefix = "_".join(raw.split("_", 2)[:2])
    return ApiToken.objects.select_related("user").filter(prefix=prefix).first()


def _usable(token: ApiToken) -> bool:
    expired = token.expires_at is not None and token.expires_at <= timezone.now()
    return token.revoked_at is None and not expired and token.user.is_active


def _touch(token: ApiToken) -> None:
    """Note the use, at most once a minute: reading must not write each time."""
    now = timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - _TOUCH_EVERY)
    if token.last_used_at is None or token.last_used_at < now - _TOUCH_EVERY:
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
