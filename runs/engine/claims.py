"""What a text says that only facts may say: figures, identifiers, addresses, that something was done.

Found by code, in English and French. A text is never evidence; this says where it goes beyond the evidence.
"""

import re
from decimal import Decimal

from agentapp.kernel.text import fold

#: Digits, in groups of three or not, and decimals.
_NUMBER = re.compile(r"(?<!\d)\d{1,3}(?:[ \u00a0\u202f'.,]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
#: Letters and digits in one token, with or without hyphens: INV-2025-00123, RF8812, re_3kx9.
_IDENTIFIER = re.compile(r"(?<![\w-])(?=[\w/-]*\d)(?=[\w/-]*[^\W\d_])\w+(?:[-_/]\w+)*(?![\w-])")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|er|re|ere|e|eme|nd|nde|s|h|d|j|am|pm|k|x)|[qtsh][1-4]")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+|\[\[[a-z_]+-\d+\]\]")
_SENTENCE = re.compile(r"[.!?;:\n…]+(?:\s|$)|\b(?:but|mais|however|cependant)\b")
_DONE = re.compile(
    r"\b(?:done|succe\w+|completed?|finished|worked|went (?:through|well)|confirmed|processed|executed"
    r"|issued|sent|paid|refunded|recorded|created|drafted|reserved|ordered|settled|allocated|ha(?:s|ve) been"
    r"|i (?:have |just |now )*\w+ed|all set|all is well|in order"
    r"|fait|faite|reussi\w*|termine\w*|effectue\w*|accompli\w*|realise\w*|envoye\w*|rembourse[es]*"
    r"|a ete \w+|ont ete \w+|j'ai \w+|en ordre|c'est bon|tout va bien)\b"
)
_NOT_DONE = re.compile(
    r"\b(?:not|no|never|nothing|cannot|can't|couldn't|didn't|isn't|wasn't|hasn't|haven't|unable|fail\w*"
    r"|error\w*|impossible|refus\w*|ne|n'\w*|pas|rien|aucun\w*|jamais|echou\w*|echec\w*|erreur\w*"
    r"|tried|essaye|tente)\b"
)


def strange(text: str, known: str) -> str:
    """Return the first address, identifier or figure in `text` that `known` does not hold; empty for none."""
    return strange_identifier(text, known) or strange_number(text, known)


def strange_number(text: str, known: str) -> str:
    """Return the first number in `text` that `known` does not hold, in whatever notation; empty for none."""
    values = {value for number in _NUMBER.findall(known) for value in _readings(number)}
    return next((number for number in _NUMBER.findall(text) if not _readings(number) & values), "")


def _readings(number: str) -> set[Decimal]:
    """Return what a written number can mean: "1,234" is one thousand and something, or one and something."""
    compact = re.sub(r"[^\d.,]", "", number)
    last = max(compact.rfind("."), compact.rfind(","))
    digits = re.sub(r"[.,]", "", compact)
    if last < 0:
        return {Decimal(digits)}
    found = {Decimal(f"{re.sub('[.,]', '', compact[:last])}.{compact[last + 1 :]}")}
    return found | {Decimal(digits)} if _GROUPED.fullmatch(compact) else found


def strange_identifier(text: str, known: str) -> str:
    """Return the first address or identifier of `text` that does not stand whole in `known`, if any."""
    folded = fold(known)
    for pattern in (_ADDRESS, _IDENTIFIER):
        for found in pattern.findall(text):
            token = fold(found).rstrip(".,;:")
            if not _ORDINAL.fullmatch(token) and not _stands_in(token, folded):
                return str(found)
    return ""


def _stands_in(token: str, folded: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(token)}(?![\w]|-\w)", folded) is not None


def claims_success(text: str) -> bool:
    """True when a sentence of `text` says that something was done, and does not say that it was not."""
    return any(
        _DONE.search(sentence) and not _NOT_DONE.search(sentence) for sentence in _SENTENCE.split(fold(text))
    )
