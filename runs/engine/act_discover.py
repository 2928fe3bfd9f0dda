"""Finding the tools of an open step: the search, and its record in the transaction of what follows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from accounts.models import ActorKind
from activities.models import DiscoveryCandidate, DiscoveryLog
from activities.models.discovery import DiscoveryStage
from agentapp.kernel.canonical import digest
from agentapp.kernel.rows import insert
from agentapp.kernel.text import shorten
from runs import missing
from runs.engine.ask import Onward
from runs.engine.commit import commit
from runs.engine.discovering import Looked, look, look_again
from runs.engine.light import follow
from runs.engine.rewriting import QUERY_CHARACTERS, rewritten, words_of
from runs.journal import Journal
from runs.llm.base import FIND_TOOLS, CallDelta
from runs.models import ModelCall, RunStep
from runs.step_tools import SEARCHES_PER_STEP, may_search_again, searches_of
from runs.view import RunView

_ENDS = ".!?…"


def discover(view: RunView, step: RunStep) -> Onward:
    """Search the part of the catalogue that the step is open to. Returns how the run goes on."""
    query = _query(view, step)
    looked = look(view, step, query, lambda words: rewritten(view, words, step))
    with commit(view) as journal:
        record_search(view, step, looked, journal)
        return follow(view, journal)


def _query(view: RunView, step: RunStep) -> str:
    """Return what is searched for: what the person and the step's decider said, else the step's goal."""
    said = [text.strip() for text in (*view.words, step.instruction) if text.strip()]
    if len(said) > 1:  # sentences of their own: what was said first must not drown what was said since
        said = [text if text[-1] in _ENDS else f"{text}." for text in said]
    whole = view.projected_words(said)
    return shorten(whole.strip() or step.step.goal, QUERY_CHARACTERS)


@dataclass(frozen=True)
class SearchedAgain:
    """The searches that a model asked for in one reply, done and not yet recorded; why others were not."""

    looked: tuple[Looked, ...] = ()
    refused: str = ""


def search_again(view: RunView, step: RunStep, calls: Sequence[CallDelta]) -> SearchedAgain:
    """Do the searches among a reply's calls, as many as the step has left. No transaction may be open."""
    wanted = [call for call in calls if call.name == FIND_TOOLS]
    if not wanted:
        return SearchedAgain()
    if not may_search_again(view, step):
        return SearchedAgain(refused="There is nothing more to search for in this step.")
    own = sum(1 for search in searches_of(view, step) if search.model_call_id is not None)
    words = [text for text in map(words_of, wanted) if text][: SEARCHES_PER_STEP - own]
    if not words:
        return SearchedAgain(refused="A search needs words.")
    return SearchedAgain(tuple(look_again(view, step, text) for text in words))


def record_again(
    view: RunView, step: RunStep, again: SearchedAgain, row: ModelCall, journal: Journal
) -> None:
    """Write the model's own searches down, with the round that asked for them."""
    for looked in again.looked:
        record_search(view, step, looked, journal, row)


def record_search(
    view: RunView, step: RunStep, looked: Looked, journal: Journal, by: ModelCall | None = None
) -> None:
    """Write a search down, in the current transaction: it decides what this step may call."""
    run = view.run
    log = DiscoveryLog(
        workspace=run.workspace,
        user=run.user,
        run_id=run.pk,
        trial=run.trial,
        agents=[run.revision.agent.key] if run.revision else [],
        step_id=step.pk,
        model_call_id=by.pk if by else None,
        stage=DiscoveryStage.TOOLS,
        query=view.vault.hide(looked.query),
        language=view.language,
        permitted=looked.permitted,
        shown=len(looked.shown),
        rewritten_query=view.vault.hide(looked.rewritten),
        degraded=looked.degraded,
        decision=looked.decision,
        milliseconds=looked.milliseconds,
    )
    insert([log])
    candidates = list(_rows(log, looked))
    insert(candidates)
    log._prefetched_objects_cache = {"candidates": candidates}  # type: ignore[attr-defined]
    view.searches.append(log)
    view.vault.save()
    # Who reads the events may be nobody to whom these tools are open: what was shown is proven, not named.
    proof = digest([[each.key, each.contract_hash] for each in looked.candidates if each.shown])
    told = {"step": step.step.key, "query": log.query, "decision": log.decision, "shown": proof}
    journal.event("tools.searched", told, ActorKind.MODEL if by else ActorKind.SYSTEM)


def _rows(log: DiscoveryLog, looked: Looked) -> Iterator[DiscoveryCandidate]:
    for position, each in enumerate(looked.candidates):
        yield DiscoveryCandidate(
            log=log,
            position=position,
            key=each.key,
            contract_hash=each.contract_hash,
            lexical=each.lexical,
            dense=each.dense,
            score=each.score,
            shown=each.shown,
        )


def mark_called(view: RunView, step: RunStep, keys: Sequence[str]) -> None:
    """Note that tools which a search showed were called."""
    found = [
        candidate
        for search in searches_of(view, step)
        for candidate in search.candidates.all()
        if candidate.key in keys and candidate.shown and not candidate.called
    ]
    for candidate in found:
        candidate.called = True
    if found:
        DiscoveryCandidate.objects.filter(pk__in=[each.pk for each in found]).update(called=True)
        missing.called(searches_of(view, step), {each.key for each in found})
