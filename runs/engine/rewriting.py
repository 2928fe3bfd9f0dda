"""Other words for a search that found nothing near: one small request to the model."""

from agentapp.kernel.text import clean_text, shorten
from runs.arguments import BadArguments, parse_arguments
from runs.engine.ask import ask, settling
from runs.engine.requests import rewrite_request
from runs.guardrails import GuardrailReached
from runs.llm.base import SEARCH_WORDS, CallDelta
from runs.models import RunStep
from runs.view import RunView

#: A query is no longer than this: what is beyond says nothing of what is asked for.
QUERY_CHARACTERS = 2_000


def rewritten(view: RunView, words: str, step: RunStep | None = None) -> str | None:
    """Ask the model for other words than these, which are projected. No transaction may be open.

    None when it has none, or may not be asked any more.
    """
    try:
        asked = ask(view, rewrite_request(view, words, step), step)
    except GuardrailReached:
        return None
    other = next((words_of(call) for call in asked.reply.calls if call.name == SEARCH_WORDS), "")
    if not other:
        asked.row.error_code, asked.row.error_message = "unusable_reply", "It gave no other words."
    with settling(view, asked):
        pass
    return other or None


def words_of(call: CallDelta) -> str:
    """Return the words of a call that searches, empty when it has none."""
    try:
        given = parse_arguments(call.arguments).get("words")
    except BadArguments:
        return ""
    return shorten(clean_text(given).strip(), QUERY_CHARACTERS) if isinstance(given, str) else ""
