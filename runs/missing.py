"""What a search missed, where that becomes known without anybody saying so.

A request misses a card that was permitted and was not what its search led to, when

* the same run got there later: it was led to an activity that was not among those the person had been asked
  about, or a tool was called that only a later search of the same step had shown;
* it was refused because nothing fits, and the conversation's next message, within ten minutes, was led to an
  activity that had been open to it as well; so do refusals directly before a refusal;
* it is a test prompt that expected the card.

What people name themselves is `runs.actions.missed`. All of them write the same rows: a request misses a card
once, in whatever way it becomes known.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection

from activities.discovery.reading import Reading
from activities.models import Activity, DiscoveryLog, EvaluationResult, TestPrompt
from activities.models.discovery import DiscoveryStage
from activities.models.fields import in_language
from activities.models.prompts import ExpectedRoute
from activities.tools import registry
from runs.llm.builtin.smalltalk import forbids, instructs_interpreter, is_pleasantry
from runs.models import Missed, QuestionCandidate, Run
from runs.models.missed import MissCause
from runs.offered import offered_to
from runs.questions import ACTIVITY_FIELD
from runs.specs import card_key
from runs.states import Outcome

#: A message so soon after a refusal says the same in other words.
SAID_AGAIN_WITHIN = timedelta(minutes=10)
#: So many refusals in a row are looked at.
_BEFORE = """
    SELECT id, outcome, created_at, finished_at FROM runs_run
    WHERE conversation_id = %s AND parent_id IS NULL AND id < %s ORDER BY id DESC LIMIT 5
"""


def routed(run: Run, activity: Activity, *, asked: bool) -> None:
    """Count what missed `activity`, to which `run` is led now; `asked`: a question came before."""
    if run.trial or run.parent_id is not None:
        return
    logs = [*(_asked_without(run, activity) if asked else ()), *_refused_before(run, activity)]
    label = in_language(activity.name, run.language)
    _keep(_of_log(log, card_key(activity), label, MissCause.FOUND_LATER) for log in logs)


def called(searches: Sequence[DiscoveryLog], keys: Collection[str]) -> None:
    """Count the first search of a step for each tool called now that only a later one showed.

    `searches` are those of the step, in order, with their candidates.
    """
    if not searches or searches[0].trial:
        return
    first, *later = [_shown_in(search) for search in searches]
    found = [key for key in keys if key not in first and any(key in shown for shown in later)]
    labels = {key: str(contract.title) for key in found if (contract := registry.get(key)) is not None}
    _keep(_of_log(searches[0], key, labels.get(key, ""), MissCause.FOUND_LATER) for key in found)


def _shown_in(search: DiscoveryLog) -> frozenset[str]:
    return frozenset(candidate.key for candidate in search.candidates.all() if candidate.shown)


def expected(result: EvaluationResult, prompt: TestPrompt, run: Run) -> None:
    """Count what the prompt expected and was not shown: its activity, and tools of its calls."""
    if prompt.expected_route == ExpectedRoute.ACTIVITY and prompt.expected_activity is not None:
        _expected_activity(result, prompt.expected_activity.key, run)
    rows = (_of_result(result, run, DiscoveryStage.TOOLS, key) for key in result.missed_tools)
    _keep(rows)


def _expected_activity(result: EvaluationResult, key: str, run: Run) -> None:
    if run.activity is not None and run.activity.key == key:
        return
    open_to_them = {item.key: card_key(item) for item in offered_to(run)}
    if key in open_to_them and open_to_them[key] not in _asked_about(run):
        _keep([_of_result(result, run, DiscoveryStage.ROUTE, open_to_them[key])])


def _asked_without(run: Run, activity: Activity) -> Iterator[DiscoveryLog]:
    """Yield this run's search that ended in a question which did not name `activity`."""
    unclear = DiscoveryLog.objects.filter(run_id=run.pk, stage=DiscoveryStage.ROUTE, decision="unclear")
    log = unclear.order_by("pk").first()
    if log is not None and card_key(activity) not in _asked_about(run):
        yield log


def _asked_about(run: Run) -> frozenset[str]:
    """Return the activities the person was asked to choose between."""
    fields = QuestionCandidate.objects.filter(field__question__run=run, field__name=ACTIVITY_FIELD)
    return frozenset(fields.values_list("value", flat=True))


def _refused_before(run: Run, activity: Activity) -> Iterator[DiscoveryLog]:
    """Yield the searches of the refusals directly before `run`, where `activity` was open and asked for."""
    key, until = card_key(activity), run.created_at
    for run_id, outcome, created_at, finished_at in _runs_before(run):
        if outcome != Outcome.DECLINED or not _soon(finished_at, until):
            return
        until = created_at
        log = DiscoveryLog.objects.filter(run_id=run_id, decision="none").order_by("-pk").first()
        if log is not None and _was_open(log, key) and _is_request(log.query):
            yield log


def _runs_before(run: Run) -> list[tuple[UUID, str, datetime, datetime | None]]:
    """Return the conversation's requests before this one, the newest first. Every request asks for it."""
    with connection.cursor() as cursor:
        cursor.execute(_BEFORE, [run.conversation_id, run.pk])
        return cursor.fetchall()


def _soon(ended: datetime | None, until: datetime) -> bool:
    return ended is not None and until - ended <= SAID_AGAIN_WITHIN


def _was_open(log: DiscoveryLog, key: str) -> bool:
    """True when `key` was permitted then, or may have been: of many cards a log keeps the nearest."""
    keys = set(log.candidates.values_list("key", flat=True))
    return key in keys or len(keys) < log.permitted


def _is_request(text: str) -> bool:
    """A greeting, or an attempt to change the rules, misses nothing."""
    reading = Reading.of(text)
    return not (is_pleasantry(reading) or instructs_interpreter(reading) or forbids(reading))


def _of_log(log: DiscoveryLog, key: str, label: str, cause: MissCause) -> Missed:
    return Missed(
        workspace_id=log.workspace_id,
        run_id=log.run_id,
        log=log,
        stage=log.stage,
        key=key,
        label=label[:200],
        query=log.query,
        language=log.language,
        cause=cause,
        searched_at=log.at,
    )


def _of_result(result: EvaluationResult, run: Run, stage: DiscoveryStage, key: str) -> Missed:
    return Missed(
        workspace_id=run.workspace_id,
        run=run,
        result=result,
        stage=stage,
        key=key,
        query=result.text,
        language=result.language,
        cause=MissCause.EXPECTED,
        searched_at=run.created_at,
    )


def _keep(rows: Iterable[Missed]) -> None:
    """Store what is not known yet."""
    new = list(rows)
    if new:
        Missed.objects.bulk_create(new, ignore_conflicts=True)
