"""Requests that no business activity answers, whatever the activities are.

What is recognised by its words: greetings, thanks, attempts to instruct the interpreter. General questions
are in `activities.discovery.background`: every activity has to compete with them.
"""

import re

from activities.discovery.language import STOP_WORDS, word_set
from activities.discovery.reading import Reading

_PLEASANTRIES = word_set(
    """
    hello hi hey hiya howdy good morning afternoon evening night day goodbye bye thanks thank thx cheers
    great nice perfect cool ok okay fine super well welcome bonjour bonsoir bonne journee soiree nuit
    salut coucou merci beaucoup parfait genial revoir bientot plus tard ciao yo there everyone all much
    how going things doing lot so comment allez allez-vous va vas ca bien excellent top d accord
    """
)

_INSTRUCTIONS = re.compile(
    r"\b(ignor\w*|disregard|forget|oublie[zr]?|bypass|override|contourn\w*|outrepass\w*)\b.{0,40}?"
    r"\b(instruction|consigne|rule|regle|prompt|guideline|directive|restriction|guardrail|garde-fou)"
    r"|\b(system prompt|prompt systeme|developer mode|mode developpeur|jailbreak\w*|you are now"
    r"|tu es maintenant|vous etes maintenant|pretend (to be|you are)|act as an?\b|fais comme si)"
)

#: "Don't send …", "n'envoie pas …" at the beginning: what follows is what must not be done. "Don't forget to
#: send" asks for it, and "never returned books" are a kind of book.
_FORBIDDEN = re.compile(
    r"^\W*(?:(?:please|no|non|surtout|bonjour|hello|hi|svp|stp|s'il (?:te|vous) plait)\W+)*"
    r"(?:(?:do\s+not|don'?t)\s+(?!forget|hesitate|worry)\w"
    r"|never\s+(?!paid\b|sent\b|\w+ed\b)\w"
    r"|(?:merci\s+de\s+|il\s+ne\s+faut\s+pas\s+|veuillez\s+)?ne\s+(?:pas|jamais)\s+(?!oublier|hesiter)\w"
    r"|n(?:e\s+|')(?!oublie|hesite)(?:[\w']+[\s-]){1,3}(?:pas|jamais|plus)\b)"
)

#: "Was it sent?", "Did somebody …", "Est-ce que … a été …": asked is what happened, not that it happen.
_PAST = re.compile(
    r"^\W*(?:was|were|did|has|had|have\s+(?:we|you|they|i)|(?:when|why|how|where)\s+(?:was|were|did|has)"
    r"|who\s+(?:has|had|did|was|\w+ed\b)|how\s+(?:much|many)\b.{0,60}?\b(?:was|were|did|has)"
    r"|a-t-(?:on|il|elle)|avons-nous|avez-vous|ont-(?:ils|elles)|as-tu|ai-je"
    r"|(?:quand|pourquoi|comment|combien|qui)\s+(?:a|ont|avons|avez|as)\b"
    r"|(?:est-ce\s+qu|.{0,80}?\ba-t-(?:il|elle)\b).{0,80}?\b(?:a|ont|avons|avez|ete)\b)"
)


def is_pleasantry(reading: Reading) -> bool:
    """A greeting, a thank you, or nothing at all: no request in it."""
    folded = [word.folded for word in reading.words]
    return all(word in _PLEASANTRIES or word in STOP_WORDS for word in folded)


def instructs_interpreter(reading: Reading) -> bool:
    """The text tries to change the rules instead of asking for something. It is declined, not obeyed."""
    return bool(_INSTRUCTIONS.search(reading.folded.text))


def forbids(reading: Reading) -> bool:
    """The text says what must not be done. Doing it would be the one wrong answer; a question is no order."""
    text = reading.folded.text
    return bool(_FORBIDDEN.search(text)) and not text.rstrip().endswith("?")


def asks_about_the_past(reading: Reading) -> bool:
    """The text asks what was done. Doing it (again) would be the one wrong answer."""
    return bool(_PAST.search(reading.folded.text))
