"""Tokens: shown once, kept as a hash, scoped, and dead when revoked or expired."""

import hashlib
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts import actions, tokens
from accounts.models import ApiToken, AuditEvent, Scope, User
from agentapp.kernel.errors import InvalidInput, NotAllowed, NotFound, NotSignedIn
from tests.accounts.conftest import House


def test_only_the_hash_is_kept(house: House) -> None:
    token, secret = actions.token_create(house.owner, "ci", [Scope.READ])
    row = ApiToken.objects.filter(pk=token.pk).values().get()
    assert row["hash"] == hashlib.sha256(secret.encode()).hexdigest()
    hidden = secret.removeprefix(token.prefix)
    assert len(hidden) >= 43
    assert not any(hidden[1:] in str(value) for value in row.values())
    event = AuditEvent.objects.get(type="token.created")
    assert hidden[1:] not in str(event.data)
    assert token.hash not in str(event.data)


def test_it_recognises_the_owner(house: House) -> None:
    _token, secret = actions.token_create(house.owner, "ci", [Scope.READ, "write"])
    assert tokens.authenticate(secret, Scope.READ) == house.owner
    assert tokens.authenticate(secret, "write") == house.owner
    with pytest.raises(NotAllowed, match="decide"):
        tokens.authenticate(secret, Scope.DECIDE)


@pytest.mark.parametrize(
    "raw", ["", "mandate_", "mandate_aa_bb", "x" * 5000, "\x00", "é", "\ud800", "_", "a_b_c_d"]
)
def test_garbage_is_refused(house: House, raw: str) -> None:
    with pytest.raises(NotSignedIn):
        tokens.authenticate(raw, Scope.READ)


def test_a_wrong_secret_with_a_known_prefix_is_refused(house: House) -> None:
    token, secret = actions.token_create(house.owner, "ci", [Scope.READ])
    for wrong in (token.prefix, f"{token.prefix}_", secret[:-1], secret + "a", token.hash):
        with pytest.raises(NotSignedIn):
            tokens.authenticate(wrong, Scope.READ)


def test_revoked_expired_or_inactive_is_refused_at_once(house: House) -> None:
    secrets = [actions.token_create(house.owner, f"t{n}", [Scope.READ]) for n in range(3)]
    (revoked, revoked_secret), (expired, expired_secret), (_live, live_secret) = secrets
    actions.token_revoke(house.owner, revoked.pk)
    ApiToken.objects.filter(pk=expired.pk).update(expires_at=timezone.now())
    for secret in (revoked_secret, expired_secret):
        with pytest.raises(NotSignedIn):
            tokens.authenticate(secret, Scope.READ)
    assert tokens.authenticate(live_secret, Scope.READ) == house.owner
    User.objects.filter(pk=house.owner.pk).update(is_active=False)
    with pytest.raises(NotSignedIn):
        tokens.authenticate(live_secret, Scope.READ)


def test_use_is_noted_at_most_once_a_minute(house: House, django_assert_num_queries) -> None:
    token, secret = actions.token_create(house.owner, "ci", [Scope.READ])
    tokens.authenticate(secret, Scope.READ)
    first = ApiToken.objects.get(pk=token.pk).last_used_at
    assert first is not None
    with django_assert_num_queries(1):
        tokens.authenticate(secret, Scope.READ)
    assert ApiToken.objects.get(pk=token.pk).last_used_at == first
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=first - timedelta(seconds=61))
    tokens.authenticate(secret, Scope.READ)
    again = ApiToken.objects.get(pk=token.pk).last_used_at
    assert again is not None
    assert again > first


def test_revoking_is_for_the_owner_and_administrators(house: House, superuser: User) -> None:
    token, secret = actions.token_create(house.owner, "ci", [Scope.READ])
    for other in (house.member, house.stranger):
        with pytest.raises(NotFound):
            actions.token_revoke(other, token.pk)
    assert tokens.authenticate(secret, Scope.READ) == house.owner
    actions.token_revoke(superuser, token.pk)
    actions.token_revoke(house.owner, token.pk)
    assert [event.actor for event in AuditEvent.objects.filter(type="token.revoked")] == [superuser]


def test_a_staff_flag_alone_revokes_nothing(house: House) -> None:
    token, _secret = actions.token_create(house.owner, "ci", [Scope.READ])
    User.objects.filter(pk=house.member.pk).update(is_staff=True)
    with pytest.raises(NotFound):
        actions.token_revoke(User.objects.get(pk=house.member.pk), token.pk)


@pytest.mark.parametrize("scopes", [[], ["admin"], ["read", "admin"]])
def test_unknown_scopes_are_refused(house: House, scopes: list[str]) -> None:
    with pytest.raises(InvalidInput):
        actions.token_create(house.owner, "ci", scopes)
    assert not ApiToken.objects.exists()


def test_an_expired_or_nameless_token_is_not_made(house: House) -> None:
    with pytest.raises(InvalidInput):
        actions.token_create(house.owner, "ci", ["read"], expires_at=timezone.now())
    with pytest.raises(InvalidInput):
        actions.token_create(house.owner, "  ", ["read"])


def test_there_is_a_limit(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "TOKENS_PER_USER", 2)
    first, _secret = actions.token_create(house.owner, "a", ["read"])
    actions.token_create(house.owner, "b", ["read"])
    with pytest.raises(InvalidInput):
        actions.token_create(house.owner, "c", ["read"])
    actions.token_revoke(house.owner, first.pk)
    actions.token_create(house.owner, "c", ["read"])
