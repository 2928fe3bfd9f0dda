"""How names are folded for search, and what of a name may be left out."""

from agentapp.kernel.text import words

#: Legal forms, which people leave out when they name a company.
LEGAL_FORMS = frozenset(
    {"sarl", "sas", "sasu", "sa", "eurl", "ltd", "limited", "llc", "inc", "plc", "gmbh", "ag", "co", "cie"}
)
#: Words that name nobody on their own, though names contain them.
SMALL_WORDS = frozenset(
    {
        "and",
        "the",
        "of",
        "for",
        "et",
        "le",
        "la",
        "les",
        "de",
        "du",
        "des",
        "d",
        "l",
        "un",
        "une",
        "aux",
        "sur",
    }
)


def name_key(name: str) -> str:
    """Return the folded words of `name`, each between spaces, so that whole words can be looked for."""
    return f" {' '.join(words(name))} "


def core_words(name: str) -> list[str]:
    """Return the folded words of `name` without its legal form."""
    found = words(name)
    return [word for word in found if word not in LEGAL_FORMS] or found


def names_somebody(text_words: list[str]) -> bool:
    """True when at least one word is more than an article, an initial or a legal form."""
    return any(len(word) > 1 and word not in SMALL_WORDS and word not in LEGAL_FORMS for word in text_words)
