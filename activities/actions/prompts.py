"""What a designer does to an agent's test prompts."""

from collections.abc import Iterable

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from activities.actions.authority import require_design
from activities.actions.recording import record
from activities.models import ActivityIdentity, Agent, ExpectedCall, TestPrompt
from activities.prompt_parts import PromptPart
from agentapp.kernel.errors import InvalidInput, NotFound


def prompts_import(agent: Agent, parts: Iterable[PromptPart], *, actor: User | None) -> list[str]:
    """Write these test prompts, by key; others stay as they are. Returns the keys that changed.

    A second time with the same parts changes nothing. Raises NotAllowed, and InvalidInput for a prompt that
    names nothing; then nothing is written.
    """
    require_design(actor, agent)
    with transaction.atomic():
        before = {part.key: part for part in map(prompt_part, prompts_of(agent))}
        changed = []
        for position, part in enumerate(parts):
            if before.get(part.key) != _normal(part):
                _write(agent, part, position)
                changed.append(part.key)
        if changed:
            record(agent, "prompts.imported", actor, {"prompts": changed})
    return changed


def prompt_save(agent: Agent, part: PromptPart, *, actor: User | None) -> TestPrompt:
    """Write one test prompt, by key. Raises NotAllowed, InvalidInput."""
    require_design(actor, agent)
    with transaction.atomic():
        known = TestPrompt.objects.filter(agent=agent, key=part.key).first()
        before = prompt_part(known).model_dump(mode="json") if known else None
        last = agent.test_prompts.count()
        row = _write(agent, part, known.position if known else last)
        record(agent, "prompt.saved", actor, {"before": before, "after": part.model_dump(mode="json")})
    return row


def prompt_delete(agent: Agent, key: str, *, actor: User | None) -> None:
    """Delete a test prompt; results of earlier evaluations stay. Raises NotAllowed, NotFound."""
    require_design(actor, agent)
    with transaction.atomic():
        row = TestPrompt.objects.filter(agent=agent, key=key).first()
        if row is None:
            raise NotFound(_("There is no such test prompt."))
        record(agent, "prompt.deleted", actor, {"before": prompt_part(row).model_dump(mode="json")})
        row.delete()


def prompts_of(agent: Agent) -> list[TestPrompt]:
    """Return an agent's test prompts with all that is needed to run and show them."""
    rows = TestPrompt.objects.filter(agent=agent).select_related("activity", "expected_activity", "as_user")
    return list(rows.prefetch_related("expected_calls"))


def prompt_part(row: TestPrompt) -> PromptPart:
    """Return the written form of a test prompt."""
    expected = row.expected_activity.key if row.expected_activity else ""
    kept = row.activity.key if row.activity else ""
    return PromptPart.model_validate(
        {
            "key": row.key,
            "language": row.language,
            "text": row.text,
            "activity": expected,
            "route": row.expected_route,
            "outcome": row.expected_outcome,
            "kept_with": "" if kept == expected else kept,
            "as_user": row.as_user.email if row.as_user else "",
            "asks": row.expected_fields,
            "inputs": row.expected_inputs,
            "calls": [
                {"tool": call.tool_key, "arguments": call.arguments, "error": call.error_code}
                for call in row.expected_calls.all()
            ],
            "note": row.note,
        }
    )


def _normal(part: PromptPart) -> PromptPart:
    """Return the part as it comes back from its row."""
    kept = "" if part.kept_with == part.activity else part.kept_with
    return part.model_copy(update={"kept_with": kept})


def _write(agent: Agent, part: PromptPart, position: int) -> TestPrompt:
    values = {
        "position": position,
        "activity": _identity(agent, part.kept_with or part.activity, part),
        "language": part.language,
        "text": part.text,
        "as_user": _user(part),
        "expected_route": part.route,
        "expected_activity": _identity(agent, part.activity, part),
        "expected_outcome": part.outcome,
        "expected_fields": part.asks,
        "expected_inputs": part.inputs,
        "note": part.note,
    }
    row, _created = TestPrompt.objects.update_or_create(agent=agent, key=part.key, defaults=values)
    row.expected_calls.all().delete()
    ExpectedCall.objects.bulk_create(
        ExpectedCall(
            prompt=row,
            position=index,
            tool_key=call.tool,
            arguments=call.arguments,
            error_code=call.error,
        )
        for index, call in enumerate(part.calls)
    )
    return row


def _identity(agent: Agent, key: str, part: PromptPart) -> ActivityIdentity | None:
    if not key:
        return None
    found = agent.identities.filter(key=key).first()
    if found is None:
        raise InvalidInput(
            _("Test prompt “%(prompt)s” names the activity “%(activity)s”, which this agent never had.")
            % {"prompt": part.key, "activity": key}
        )
    return found


def _user(part: PromptPart) -> User | None:
    if not part.as_user:
        return None
    found = User.objects.filter(email=part.as_user).first()
    if found is None:
        raise InvalidInput(
            _("Test prompt “%(prompt)s” is asked as %(email)s, who does not exist.")
            % {"prompt": part.key, "email": part.as_user}
        )
    return found
