"""Guessing passwords is made slow: failures are counted by person and by address.

Counting happens before the password is looked at, so that parallel guesses are counted too; a success takes
its count back. Windows are fixed: they end a quarter of an hour after their first failure, whatever happens
meanwhile, so that nobody can lock somebody else out for good.
"""

import hashlib
import math
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.db.models import F
from django.utils import timezone
from django.utils.translation import ngettext

from accounts.fields import fold_email
from accounts.models import SignInThrottle
from agentapp.kernel.errors import TooMuch

WINDOW = timedelta(minutes=15)
#: Failures admitted per window: for one person from one address, for one person, from one address (an
#: office may stand behind one).
LIMITS = {"pair": 6, "person": 60, "address": 120}
#: Bad tokens admitted per window from one address, before the answer is to wait.
TOKEN_FAILURES = 60
_KEEP = timedelta(days=1)

_COUNT = """
    INSERT INTO accounts_signinthrottle AS counted (key, failures, since) VALUES (%(key)s, 1, %(now)s)
    ON CONFLICT (key) DO UPDATE SET
        failures = CASE WHEN counted.since <= %(ended)s THEN 1 ELSE counted.failures + 1 END,
        since = CASE WHEN counted.since <= %(ended)s THEN %(now)s ELSE counted.since END
    RETURNING failures, since
"""


def admit(email: str, address: str) -> None:
    """Count an attempt, or raise TooMuch with the minutes to wait (`data["minutes"]`)."""
    now = timezone.now()
    for name, key in _keys(email, address).items():
        failures, since = _count(key, now)
        if failures > LIMITS[name]:
            raise _too_much(since + WINDOW - now)


def token_failed(address: str) -> None:
    """Count a token that was not good; raise TooMuch when one address has sent too many.

    Good tokens are not held up: an office behind one address goes on working beside a broken program.
    """
    now = timezone.now()
    failures, since = _count(_digest("token", address), now)
    if failures > TOKEN_FAILURES:
        raise _too_much(since + WINDOW - now)


def succeeded(email: str, address: str) -> None:
    """Take the attempt back: the password was right."""
    keys = _keys(email, address)
    SignInThrottle.objects.filter(key=keys["pair"]).delete()
    others = SignInThrottle.objects.filter(key__in=[keys["person"], keys["address"]], failures__gt=0)
    others.update(failures=F("failures") - 1)
    SignInThrottle.objects.filter(since__lt=timezone.now() - _KEEP).delete()


def _count(key: str, now: datetime) -> tuple[int, datetime]:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"key": key, "now": now, "ended": now - WINDOW})
        failures, since = cursor.fetchone()
    return failures, since


def _keys(email: str, address: str) -> dict[str, str]:
    person = fold_email(email)
    parts = {"pair": [person, address], "person": [person], "address": [address]}
    return {name: _digest(name, *values) for name, values in parts.items()}


def _digest(*parts: str) -> str:
    text = "\n".join([settings.SECRET_KEY, "sign-in", *parts])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _too_much(wait: timedelta) -> TooMuch:
    minutes = max(1, math.ceil(wait.total_seconds() / 60))
    sentence = ngettext(
        "Too many attempts. Please try again in %(minutes)d minute.",
        "Too many attempts. Please try again in %(minutes)d minutes.",
        minutes,
    )
    return TooMuch(sentence % {"minutes": minutes}, minutes=minutes)
