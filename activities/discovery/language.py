"""Words of English and French as such: function words, light stemming, and telling the two apart."""

import re
from collections.abc import Iterable

_JOINED = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_./-]+")


def word_set(text: str) -> frozenset[str]:
    """The words of `text`, a list written as running text."""
    return frozenset(text.split())


ENGLISH = word_set(
    """
    a an the this that these those my your his her its our their me you him us them i he she it we they
    is are was were be been being am do does did done doing have has had having will would shall should
    can could may might must of in on at by for with without to from into over under about between
    during through up down out off and or but nor so if then than as not no any some each every all both
    please kindly just only also too very what which who whom whose when where why how there here let
    lets want wants need needs like id ill ive im dont doesnt isnt hey hi hello thanks thank ok okay s t
    d ll re ve
    """
)
FRENCH = word_set(
    """
    le la les l un une des du de d au aux ce cet cette ces mon ma mes ton ta tes son sa ses notre nos
    votre vos leur leurs je j tu il elle on nous vous ils elles me m te t se s lui y en ne n pas plus et
    ou mais donc or ni car si que qu qui quoi dont quel quelle quels quelles est sont etait etaient etre
    ete suis es sommes etes sera ai as a avons avez ont avait dans sur sous par pour avec sans chez vers
    entre pendant depuis jusque jusqu comme quand comment pourquoi combien tout toute tous toutes tres
    bien aussi alors svp stp merci bonjour salut veux voudrais veuillez peux peut pouvez pourriez faut
    faudrait plait c fait faire afin cela ca
    """
)
STOP_WORDS = ENGLISH | FRENCH

#: Small words that may stand inside a name ("Caisse de la Poste", "Smith and Sons").
PARTICLES = word_set(
    """
    de du des la le les d l of the von van der den di da and et y al el bin ben sur en
    """
)

#: Words after which a name is likely.
NAME_PREPOSITIONS = word_set(
    """
    with for from of at by to about avec pour chez de du des d a au aux sur concernant regarding named
    called
    """
)

NEGATIONS = word_set(
    """
    not no never without except dont doesnt isnt pas sans sauf jamais aucun aucune excepte hors ni
    """
)

_SUFFIXES = (
    "issements", "issement", "ations", "ements", "ation", "ement", "ments", "aient", "erait", "ment", "ings",
    "ions", "iez", "ees", "ers", "ing", "ies", "ant", "ent", "ait", "ion", "ez", "er", "ir", "ed", "ee",
    "es", "is", "s", "e",
)  # fmt: skip


def stem(word: str) -> str:
    """Cut the common endings of English and French from a folded word: never below four letters.

    It only has to bring forms of a word together, not to be linguistics: "reserving", "reserves" and
    "reserved" meet, as do "imprimer", "imprimez" and "imprimement".
    """
    if len(word) < 4 or not word.isalpha():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= (4 if len(suffix) > 1 else 3):
            word = word[: -len(suffix)]
            break
    if word[-1] in "ey" and len(word) > 4:
        word = word[:-1]
    if word[-1] == word[-2] and len(word) > 4:
        word = word[:-1]
    return word.replace("z", "s")


def spoken(name: str) -> str:
    """Return a name with its words apart: "getOpenItems" → "get Open Items"."""
    return " ".join(_JOINED.sub(" ", name).split())


def content_stems(folded_words: Iterable[str]) -> list[str]:
    """Stems of the words that carry meaning, in order."""
    return [
        stem(word) for word in folded_words if word not in STOP_WORDS and not word.isdigit() and len(word) > 1
    ]


_ONLY_ENGLISH = ENGLISH - FRENCH - frozenset(["s", "t", "on"])
_ONLY_FRENCH = FRENCH - ENGLISH


def language_of(folded_words: Iterable[str], default: str) -> str:
    """Return "en" or "fr" when the function words say so clearly, else `default`."""
    listed = list(folded_words)
    english = sum(word in _ONLY_ENGLISH for word in listed)
    french = sum(word in _ONLY_FRENCH for word in listed)
    if english >= french + 2 or (english and not french):
        return "en"
    if french >= english + 2 or (french and not english):
        return "fr"
    return default
