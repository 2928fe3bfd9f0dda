"""Who may try, as whom, and that nobody but the designer ever comes across a trial."""

import pytest

from accounts import access
from accounts.models import AuditEvent, Role
from agentapp.kernel.errors import InvalidInput, NotAllowed, NotFound
from runs import selectors
from runs.models import Conversation, Run
from runs.states import Outcome, RunState
from runs.trials.actions import trial_answer, trial_for, trial_start
from runs.trials.report import trial_report
from tests.support.blueprints import activity, from_input, text_input, use
from tests.support.world import World, act, event_types
from tests.trials.trying import chosen, declined, filled, go_on, try_out

LOOK = act("find_items", {"words": None})


@pytest.fixture
def offered(world: World) -> World:
    """A draft that the owner may use once it is published."""
    world.revision = world.draft(activity(use("find_items")))
    access.grant("activities.use_agent", world.keepers, world.revision.agent)
    return world


def start(world: World, **changed: object) -> Run:
    given = {
        "actor": world.designer,
        "as_user": world.owner,
        "revision": world.revision,
        "prompt": "Please see to A-100.",
        "language": "en",
        **changed,
    }
    return trial_start(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["owner", "member", "stranger", "root"])
def test_only_a_designer_may_try(offered: World, name: str) -> None:
    """The owner uses the agent, the root administers the site: neither designs it."""
    with pytest.raises(NotAllowed):
        start(offered, actor=getattr(offered, name))
    assert not Run.objects.exists()


def test_a_designer_of_one_activity_may_try(offered: World) -> None:
    assert offered.revision is not None
    identity = offered.revision.agent.identities.get()
    access.grant("activities.design_activity", offered.member, identity)
    assert start(offered, actor=offered.member).trial_by == offered.member


def test_a_designer_of_another_workspace_may_not(offered: World) -> None:
    offered.stranger.groups.add(access.role_group(offered.elsewhere, Role.DESIGNER))
    with pytest.raises(NotAllowed):
        start(offered, actor=offered.stranger)


def test_nobody_is_tried_as_who_does_not_belong(offered: World) -> None:
    with pytest.raises(InvalidInput):
        start(offered, as_user=offered.stranger)


@pytest.mark.parametrize("prompt", ["", "  \n", "\x00", "x" * 8_001], ids=["none", "blank", "nul", "long"])
def test_a_prompt_that_is_none(offered: World, prompt: str) -> None:
    with pytest.raises(InvalidInput):
        start(offered, prompt=prompt)
    assert not Conversation.objects.exists()


def test_the_rights_are_those_of_the_person_tried_as(offered: World) -> None:
    """The designer designs it and yet may not use it; the member may not use it either."""
    assert offered.revision is not None
    for user in (offered.designer, offered.member):
        run = try_out(offered, offered.revision, as_user=user)
        assert run.outcome == Outcome.DECLINED
    run = try_out(offered, offered.revision, chosen(), LOOK, as_user=offered.owner)
    assert run.outcome == Outcome.SUCCEEDED


def test_both_people_stand_in_the_history(offered: World) -> None:
    run = start(offered)
    first = AuditEvent.objects.filter(stream=run.pk).order_by("seq").first()
    assert first is not None
    assert (first.type, first.actor_id, first.actor_kind) == (
        "trial.started",
        offered.designer.pk,
        "person",
    )
    assert first.data["as_user"] == str(offered.owner.pk)
    assert first.data["revision"] == 1


def test_nobody_comes_across_a_trial(offered: World) -> None:
    """Neither the person it was made as, nor its designer, nor an auditor: lists, pages, questions."""
    assert offered.revision is not None
    auditor = offered.member
    auditor.groups.add(access.role_group(offered.workspace, Role.AUDITOR))
    run = try_out(offered, offered.revision, chosen(), LOOK)
    for user in (offered.owner, offered.designer, auditor):
        assert not selectors.conversations_of(user, offered.workspace).exists()
        assert not selectors.runs_visible_to(user, offered.workspace).exists()
        with pytest.raises(NotFound):
            selectors.run_for(user, run.pk)
        with pytest.raises(NotFound):
            selectors.conversation_for(user, run.conversation_id)


def test_its_question_is_the_designers_to_answer(world: World) -> None:
    find = use("find_items", words=from_input("what"))
    world.revision = world.draft(activity(find, inputs=[text_input("what")]))
    access.grant("activities.use_agent", world.keepers, world.revision.agent)
    run = try_out(world, world.revision, chosen(), filled(what=None))
    assert run.state == RunState.NEEDS_INPUT
    question = run.questions.get()
    with pytest.raises(NotFound):
        selectors.question_for(world.owner, question.pk)
    with pytest.raises(NotFound):
        trial_answer(actor=world.owner, run=run, text="lamp")
    trial_answer(actor=world.designer, run=run, text="lamp")
    run = go_on(run, act("find_items", {}))
    assert run.outcome == Outcome.SUCCEEDED
    seen = [part.kind for part in trial_report(run, reader=world.designer).seen]
    assert seen == ["message", "question", "message", "answer"]


def test_a_trial_is_read_by_its_designer_only(offered: World) -> None:
    run = start(offered)
    assert trial_for(offered.designer, run).pk == run.pk
    for user in (offered.owner, offered.member, offered.root, offered.stranger):
        with pytest.raises(NotFound):
            trial_for(user, run)


def test_a_designer_who_is_one_no_longer_reads_it_no_longer(offered: World) -> None:
    run = start(offered)
    offered.designer.groups.clear()
    with pytest.raises(NotFound):
        trial_report(run, reader=offered.designer)


def test_it_is_routed_among_the_activities_of_its_own_revision(offered: World) -> None:
    """A published revision is there as well; the draft's own activities are what is offered."""
    offered.publish(activity(use("find_items"), key="old"))
    draft = offered.draft(activity(use("find_items"), key="new"))
    run = try_out(offered, draft, chosen("new"), LOOK)
    report = trial_report(run, reader=offered.designer)
    assert [item.key for item in report.route.offered] == ["store.new"]
    assert run.revision == draft
    assert run.activity is not None
    assert run.activity.revision == draft


def test_of_a_published_revision_and_of_a_retired_one(offered: World) -> None:
    first = offered.publish(activity(use("find_items")))
    offered.publish(activity(use("find_items")))
    first.refresh_from_db()
    assert first.state == "retired"
    for revision in (first, offered.revision):
        assert revision is not None
        assert try_out(offered, revision, chosen(), LOOK).outcome == Outcome.SUCCEEDED


def test_a_decline_stays_pinned_to_the_revision(offered: World) -> None:
    assert offered.revision is not None
    run = try_out(offered, offered.revision, declined())
    assert run.outcome == Outcome.DECLINED
    assert run.revision == offered.revision
    assert trial_report(run, reader=offered.designer).route.led_to == "declined"


def test_every_run_of_a_trials_conversation_is_a_trial(offered: World) -> None:
    """Whoever makes it: a request handed over to another activity stays without effect."""
    run = start(offered)
    following = Run.objects.create(
        workspace=run.workspace,
        conversation=run.conversation,
        user=run.user,
        parent=run,
        language="en",
        time_zone="UTC",
        state=RunState.ESCALATED,
    )
    following.refresh_from_db()
    assert following.trial
    assert following.trial_by == offered.designer


def test_consent_to_raw_values_is_ones_own(offered: World) -> None:
    offered.owner.raw_disclosure = True
    offered.owner.save()
    assert not start(offered).raw_consent


def test_a_draft_that_was_tried_can_still_be_changed(offered: World) -> None:
    """Its trials go with what they were pinned to; a real run keeps its revision as ever."""
    assert offered.revision is not None
    run = try_out(offered, offered.revision, chosen(), LOOK)
    offered.revision.activities.get().steps.get().delete()
    run.refresh_from_db()
    assert not run.steps.exists()
    offered.revision.delete()
    assert not Run.objects.filter(pk=run.pk).exists()
    assert AuditEvent.objects.filter(stream=run.pk, type="trial.started").exists()


def test_the_operator_tries_on_record(offered: World) -> None:
    run = start(offered, actor=None)
    assert run.trial
    assert run.trial_by is None
    assert event_types(run)[:2] == ["trial.started", "run.created"]
    assert not selectors.conversations_of(offered.owner, offered.workspace).exists()
