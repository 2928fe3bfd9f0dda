"""Requests that no business activity answers, whatever the activities are.

Two kinds: what is recognised by its words (greetings, thanks, attempts to instruct the interpreter),
and prototypes of general questions, with which every activity has to compete.
"""

import re

from runs.llm.builtin.language import STOP_WORDS, word_set
from runs.llm.builtin.reading import Reading

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

PROTOTYPES = (
    "What is the weather like today?", "Will it rain tomorrow?", "Quel temps fait-il aujourd'hui ?",
    "Quelle est la météo pour demain ?", "Tell me a joke", "Raconte-moi une blague", "Make me laugh",
    "Write a poem about the sea", "Écris un poème sur la mer", "Write me a story", "Compose a song",
    "What is the capital of Spain?", "Quelle est la capitale de l'Espagne ?", "Who was the first president?",
    "Who won the football match?", "Qui a gagné le match de football ?", "How tall is the highest mountain?",
    "Who wrote this novel?", "Qui a écrit ce roman ?", "What is the meaning of life?",
    "Quel est le sens de la vie ?", "Explain quantum physics", "Explique-moi la relativité",
    "What year did the war end?", "Who painted this picture?", "Give me a recipe for pancakes",
    "Donne-moi une recette de gâteau", "Where can I eat tonight?", "Recommend a restaurant nearby",
    "Recommande-moi un restaurant", "Recommend a good film to watch", "Conseille-moi un film",
    "Translate this sentence into German", "Traduis cette phrase en allemand",
    "Write a Python function that sorts a list", "Écris un programme en Python", "Fix the bug in my code",
    "Are you a robot?", "Es-tu un robot ?", "What is your name?", "Comment tu t'appelles ?",
    "How old are you?", "What do you think about politics?", "Que penses-tu de la politique ?",
    "What time is it?", "Quelle heure est-il ?", "What is two plus two?", "Combien font deux plus deux ?",
    "Calculate the square root of nine", "Book a flight to London", "Réserve un vol pour Londres",
    "Play some music", "Mets de la musique", "Set an alarm for the morning", "Turn on the lights",
    "Allume la lumière", "What's in the news today?", "Quelles sont les nouvelles du jour ?",
    "What is the stock price?", "How do I get to the airport?", "I feel sad today", "Je suis triste",
    "I love you", "Je t'aime", "You are stupid", "Tu es nul", "Delete all the data in the database",
    "Supprime toutes les données", "Give me your password", "My head hurts", "How do I lose weight?",
    "Quel est le meilleur téléphone ?", "Buy me a present", "Commande une pizza", "Order a pizza",
    "Help me with my homework", "Aide-moi à faire mes devoirs", "How are you today?",
    "Comment ça va aujourd'hui ?", "Summarise this article", "Résume cet article", "Sing me a song",
    "What is the population of the country?", "Quelle est la population du pays ?",
    "What does this word mean?", "Que veut dire ce mot ?", "Call me a taxi", "Appelle un taxi",
    "Learn a foreign language", "How far away is the moon?", "À quelle distance est la lune ?",
    "Who is the prime minister?", "Qui est le président ?", "asdf qwerty", "bla bla bla",
)  # fmt: skip


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
