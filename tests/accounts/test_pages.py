"""Signing in and the profile pages, as a browser sees them."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from accounts import actions, throttle, tokens
from accounts.addresses import client_address
from accounts.models import ApiToken, AuditEvent, Role, SignInThrottle, User
from tests.accounts.conftest import PASSWORD, House

SIGN_IN = reverse("accounts:sign_in")
PROFILE = reverse("accounts:profile")
HOME = reverse("chat:home")


@pytest.fixture
def browser(house: House) -> Client:
    client = Client()
    client.force_login(house.owner)
    return client


def sign_in(client: Client, email: str = "olive@example.org", password: str = PASSWORD, **extra: str):
    return client.post(SIGN_IN, {"email": email, "password": password, **extra})


def signed_in(client: Client) -> bool:
    return client.get(PROFILE).status_code == 200


# --- signing in


@pytest.mark.parametrize("email", ["olive@example.org", "OLIVE@Example.org", "  olive@example.org "])
def test_sign_in_whatever_the_case(house: House, client: Client, email: str) -> None:
    response = sign_in(client, email)
    assert (response.status_code, response["Location"]) == (302, HOME)
    assert signed_in(client)
    assert AuditEvent.objects.get(type="user.signed_in").actor == house.owner


def test_wrong_unknown_and_inactive_get_one_answer(house: House, client: Client) -> None:
    User.objects.filter(pk=house.member.pk).update(is_active=False)
    answers = [
        sign_in(client, password="not this one"),
        sign_in(client, "nobody@example.org"),
        sign_in(client, "max@example.org"),
    ]
    for answer in answers:
        assert answer.status_code == 422
        assert "The e-mail address or the password is not right." in answer.content.decode()
    assert not signed_in(client)


@pytest.mark.parametrize("email", ["", "x" * 300, "a\x00@example.org", "😀"])
def test_odd_input_is_a_form_error(house: House, client: Client, email: str) -> None:
    assert sign_in(client, email).status_code == 422


@pytest.mark.parametrize(
    "evil",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "http:///evil.example",
        "javascript:alert(1)",
        "\thttps://evil.example",
        "https:evil.example",
    ],
)
def test_open_redirects_are_refused(house: House, client: Client, evil: str) -> None:
    page = client.get(SIGN_IN, {"next": evil})
    assert page.context["next"] == HOME
    assert f'<input type="hidden" name="next" value="{HOME}">' in page.content.decode()
    assert sign_in(client, next=evil)["Location"] == HOME
    assert client.get(SIGN_IN, {"next": evil})["Location"] == HOME  # signed in already


def test_next_leads_back(house: House, client: Client) -> None:
    first = client.get(PROFILE)
    assert first["Location"] == f"{SIGN_IN}?next={PROFILE}"
    assert f'name="next" value="{PROFILE}"' in client.get(first["Location"]).content.decode()
    assert sign_in(client, next=PROFILE)["Location"] == PROFILE


def test_guessing_is_slowed(house: House, client: Client) -> None:
    for _ in range(throttle.LIMITS["pair"]):
        assert sign_in(client, password="guess").status_code == 422
    refused = sign_in(client)  # the right one comes too late
    assert refused.status_code == 429
    assert "Too many attempts" in refused.content.decode()
    assert sign_in(client, "sasha@example.org").status_code == 302  # others are not concerned
    assert not SignInThrottle.objects.filter(key__contains="example").exists()


def test_the_wait_ends(house: House, client: Client) -> None:
    for _ in range(throttle.LIMITS["pair"] + 1):
        sign_in(client, password="guess")
    SignInThrottle.objects.update(since=timezone.now() - throttle.WINDOW)
    assert sign_in(client).status_code == 302


def test_trying_on_does_not_lengthen_the_wait(house: House, client: Client) -> None:
    began = timezone.now() - throttle.WINDOW + timedelta(seconds=90)
    for _ in range(throttle.LIMITS["pair"] + 1):
        sign_in(client, password="guess")
    SignInThrottle.objects.update(since=began)
    assert "in 2 minutes" in sign_in(client).content.decode()
    assert set(SignInThrottle.objects.values_list("since", flat=True)) == {began}


def test_another_address_is_not_locked_out(house: House, client: Client) -> None:
    for _ in range(throttle.LIMITS["pair"] + 1):
        sign_in(client, password="guess")
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert sign_in(elsewhere).status_code == 302


def test_many_addresses_and_many_people_are_limited_too(
    house: House, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(throttle.LIMITS, "person", 3)
    for number in range(3):
        sign_in(Client(REMOTE_ADDR=f"192.0.2.{number}"), password="guess")
    assert sign_in(Client(REMOTE_ADDR="192.0.2.9")).status_code == 429
    monkeypatch.setitem(throttle.LIMITS, "address", 3)
    for number in range(3):
        sign_in(client, f"x{number}@example.org")
    assert sign_in(client, "max@example.org").status_code == 429


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [
        (0, "198.51.100.1", "10.0.0.1"),
        (1, "198.51.100.1", "198.51.100.1"),
        (1, "6.6.6.6, 198.51.100.1", "198.51.100.1"),  # the first was written by the sender
        (2, "6.6.6.6, 198.51.100.1, 10.0.0.9", "198.51.100.1"),
        (2, "198.51.100.1", "10.0.0.1"),  # it did not pass through both
        (1, "198.51.100.1:4711", "198.51.100.1"),
        (1, "[2001:DB8::1]:443", "2001:db8::1"),
        (1, "2001:db8::1", "2001:db8::1"),
        (1, "::ffff:198.51.100.1", "198.51.100.1"),
        (1, "unknown", "10.0.0.1"),
        (1, "198.51.100.1,", "10.0.0.1"),
        (1, "", "10.0.0.1"),
    ],
)
def test_behind_proxies_the_address_is_what_ours_were_asked_from(
    rf: RequestFactory, settings: Any, proxies: int, forwarded: str, expected: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    request = rf.get("/", REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR=forwarded)
    assert client_address(request) == expected


def test_behind_a_proxy_guesses_are_counted_for_each_address(house: House, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    one, other = (Client(HTTP_X_FORWARDED_FOR=f"6.6.6.{n}, 192.0.2.{n}") for n in (1, 2))
    for number in range(throttle.LIMITS["pair"] + 1):
        guesser = Client(HTTP_X_FORWARDED_FOR=f"6.6.6.{number}, 192.0.2.1")
        assert sign_in(guesser, password="guess").status_code in (422, 429)
    assert sign_in(one).status_code == 429
    assert sign_in(other).status_code == 302


def test_success_takes_its_count_back(house: House, client: Client) -> None:
    for _ in range(throttle.LIMITS["pair"] * 2):
        assert sign_in(client).status_code == 302
        client.logout()
    assert not SignInThrottle.objects.filter(failures__gt=0).exists()


def test_sign_out_wants_a_post(house: House, browser: Client) -> None:
    assert browser.get(reverse("accounts:sign_out")).status_code == 405
    assert signed_in(browser)
    assert browser.post(reverse("accounts:sign_out"))["Location"] == SIGN_IN
    assert not signed_in(browser)
    assert AuditEvent.objects.filter(type="user.signed_out", actor=house.owner).count() == 1
    assert browser.post(reverse("accounts:sign_out")).status_code == 302


def test_forms_want_the_csrf_token(house: House) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert sign_in(strict).status_code == 403
    strict.force_login(house.owner)
    for name in ("sign_out", "profile_update", "password_change", "token_create", "workspace_switch"):
        assert strict.post(reverse(f"accounts:{name}")).status_code == 403


def test_pages_are_not_kept_by_caches(house: House, browser: Client, client: Client) -> None:
    assert "no-store" in browser.get(PROFILE)["Cache-Control"]
    assert "no-store" in client.get(SIGN_IN)["Cache-Control"]


# --- language and time zone


def test_the_profile_decides_language_and_zone(house: House, browser: Client) -> None:
    saved = browser.post(
        reverse("accounts:profile_update"),
        {
            "profile-full_name": "Olive Ôtée",
            "profile-language": "fr",
            "profile-time_zone": "Europe/Paris",
            "profile-raw_disclosure": "on",
        },
    )
    assert saved["Location"] == PROFILE
    user = User.objects.get(pk=house.owner.pk)
    assert (user.full_name, user.language, user.time_zone, user.raw_disclosure) == (
        "Olive Ôtée", "fr", "Europe/Paris", True,
    )  # fmt: skip
    page = browser.get(PROFILE, headers={"accept-language": "en"})
    assert page["Content-Language"] == "fr"
    assert '<html lang="fr"' in page.content.decode()


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"time_zone": "Mars/Olympus"}, "time_zone"),
        ({"language": "de"}, "language"),
        ({"full_name": ""}, "full_name"),
    ],
)
def test_bad_profile_values_are_shown(
    house: House, browser: Client, values: dict[str, str], field: str
) -> None:
    good = {"full_name": "Olive", "language": "en", "time_zone": "UTC"}
    sent = {f"profile-{name}": value for name, value in (good | values).items()}
    answer = browser.post(reverse("accounts:profile_update"), sent)
    assert answer.status_code == 422
    assert f'id="id_profile-{field}_error"' in answer.content.decode()


def test_the_browsers_language_is_used_before_signing_in(house: House, client: Client) -> None:
    for language in ("fr", "en"):
        page = client.get(SIGN_IN, headers={"accept-language": language})
        assert page["Content-Language"] == language
        assert f'<html lang="{language}"' in page.content.decode()


def test_times_are_shown_in_the_persons_zone(house: House, browser: Client) -> None:
    token, _secret = actions.token_create(house.owner, "ci", ["read"])
    used = timezone.now().replace(year=2026, month=1, day=2, hour=23, minute=30)
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=used)
    assert "23:30" in browser.get(PROFILE).content.decode()
    actions.profile_update(house.owner, time_zone="Asia/Tokyo")
    assert "08:30" in browser.get(PROFILE).content.decode()
    assert timezone.get_current_timezone_name() == "UTC"  # nothing is left behind for the next request


# --- password


def change_password(browser: Client, current: str = PASSWORD, **more: str) -> Any:
    sent = {"password-current": current, "password-new": "another good phrase", **more}
    return browser.post(reverse("accounts:password_change"), sent)


def test_guesses_at_the_current_password_are_counted_as_at_the_door(house: House, browser: Client) -> None:
    for _ in range(throttle.LIMITS["pair"]):
        assert change_password(browser, "guess").status_code == 422
    answer = change_password(browser)
    assert answer.status_code == 429
    assert "Too many attempts" in answer.content.decode()
    assert User.objects.get(pk=house.owner.pk).check_password(PASSWORD)
    assert sign_in(Client()).status_code == 429, "one count for both"


def test_the_right_password_with_a_weak_new_one_is_no_guess(house: House, browser: Client) -> None:
    for _ in range(throttle.LIMITS["pair"] + 1):
        assert change_password(browser, **{"password-new": "12345678"}).status_code == 422
    assert change_password(browser).status_code == 302


@pytest.mark.parametrize("revoke", [True, False])
def test_changing_the_password_revokes_tokens_when_that_is_wanted(
    house: House, browser: Client, revoke: bool
) -> None:
    token, _secret = actions.token_create(house.owner, "ci", ["read"])
    assert "Revoke my personal tokens as well" in browser.get(PROFILE).content.decode()
    more = {"password-revoke_tokens": "on"} if revoke else {}
    assert change_password(browser, **more).status_code == 302
    token.refresh_from_db()
    assert (token.revoked_at is not None) is revoke
    told = AuditEvent.objects.filter(type="token.revoked", stream=house.owner.pk)
    assert told.count() == int(revoke)


def test_changing_the_password_keeps_this_session_and_ends_others(house: House, browser: Client) -> None:
    other = Client()
    other.force_login(house.owner)
    new = "another good phrase"
    wrong = browser.post(reverse("accounts:password_change"), {"password-current": "x", "password-new": new})
    assert wrong.status_code == 422
    assert "The current password is not right." in wrong.content.decode()
    weak = {"password-current": PASSWORD, "password-new": "12345678"}
    assert browser.post(reverse("accounts:password_change"), weak).status_code == 422
    good = {"password-current": PASSWORD, "password-new": new}
    assert browser.post(reverse("accounts:password_change"), good).status_code == 302
    assert signed_in(browser)
    assert not signed_in(other)
    assert sign_in(Client(), password=new).status_code == 302


# --- tokens


def test_a_secret_is_shown_once(house: House, browser: Client) -> None:
    sent = {"token-name": "ci", "token-scopes": ["read", "decide"], "token-expires": "30"}
    made = browser.post(reverse("accounts:token_create"), sent)
    assert made.status_code == 201
    assert "no-store" in made["Cache-Control"]
    secret = re.search(r'value="(mandate_[^"]+)"', made.content.decode())[1]
    assert tokens.authenticate(secret, "decide") == house.owner
    token = ApiToken.objects.get()
    assert token.scopes == ["read", "decide"]
    assert timedelta(days=29) < token.expires_at - timezone.now() < timedelta(days=31)
    again = browser.get(PROFILE).content.decode()
    assert secret not in again
    assert token.prefix in again


@pytest.mark.parametrize(
    "sent", [{"token-name": "ci"}, {"token-name": "", "token-scopes": ["read"]}, {"token-scopes": ["admin"]}]
)
def test_a_bad_token_form_makes_none(house: House, browser: Client, sent: dict[str, object]) -> None:
    assert browser.post(reverse("accounts:token_create"), sent).status_code == 422
    assert not ApiToken.objects.exists()


def test_only_ones_own_tokens_are_shown_and_revoked(house: House, browser: Client) -> None:
    mine, _secret = actions.token_create(house.owner, "mine", ["read"])
    theirs, their_secret = actions.token_create(house.member, "theirs", ["read"])
    assert theirs.prefix not in browser.get(PROFILE).content.decode()
    assert browser.post(reverse("accounts:token_revoke", args=[theirs.pk])).status_code == 404
    assert tokens.authenticate(their_secret, "read") == house.member
    assert browser.post(reverse("accounts:token_revoke", args=[mine.pk])).status_code == 302
    assert mine.prefix not in browser.get(PROFILE).content.decode()


# --- workspaces


def test_switching_between_ones_own_workspaces(house: House, browser: Client) -> None:
    switch = reverse("accounts:workspace_switch")
    for wanted in (str(house.elsewhere.pk), "nonsense", ""):
        assert browser.post(switch, {"workspace": wanted}).status_code == 404
    actions.member_add(house.elsewhere, house.owner, [Role.BUSINESS])
    assert browser.get(PROFILE).context["workspace"] == house.elsewhere  # the first by name
    for wanted in (house.workspace, house.elsewhere):
        browser.post(switch, {"workspace": str(wanted.pk), "next": PROFILE})
        assert browser.get(PROFILE).context["workspace"] == wanted
    actions.member_remove(house.elsewhere, house.owner)
    assert browser.get(PROFILE).context["workspace"] == house.workspace


def test_a_person_without_a_workspace_is_told(house: House) -> None:
    actions.member_remove(house.workspace, house.member)
    client = Client()
    client.force_login(house.member)
    page = client.get(PROFILE)
    assert page.status_code == 200
    assert "You do not belong to a workspace yet." in page.content.decode()


def test_an_inactive_person_is_out_at_the_next_request(house: House, browser: Client) -> None:
    assert signed_in(browser)
    User.objects.filter(pk=house.owner.pk).update(is_active=False)
    assert not signed_in(browser)


# --- the administration has no door of its own


def test_the_administration_signs_in_where_guesses_are_counted(house: House, client: Client) -> None:
    asked = client.get("/admin/", follow=True)
    assert asked.redirect_chain[-1][0] == f"{SIGN_IN}?next=%2Fadmin%2F"
    User.objects.filter(pk=house.owner.pk).update(is_staff=True)
    for number in range(throttle.LIMITS["pair"] + 1):
        guess = {"username": "olive@example.org", "password": f"guess {number}"}
        assert client.post("/admin/login/", guess).status_code == 302
    client.post("/admin/login/", {"username": "olive@example.org", "password": PASSWORD})
    assert not signed_in(client)
    response = sign_in(client, next="/admin/")
    assert (response.status_code, response["Location"]) == (302, "/admin/")


def test_who_is_no_staff_is_told_so(browser: Client) -> None:
    assert browser.get("/admin/", follow=True).status_code == 403


def test_a_password_changed_and_a_sign_out_are_recorded_wherever_one_comes_from(
    house: House, browser: Client
) -> None:
    User.objects.filter(pk=house.owner.pk).update(is_staff=True)
    assert browser.get("/admin/password_change/")["Location"] == PROFILE
    browser.post("/admin/logout/")
    assert not signed_in(browser)
    assert AuditEvent.objects.filter(type="user.signed_out", actor=house.owner).exists()
