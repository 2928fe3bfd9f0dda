"""Numbers as people write them in English and French, in digits or in words.

`1,234.50`, `1 234,50`, `1.234,50`, `1'234.50`, `12,5`, `-3`, `1.5k`, `fifty`, `deux cent trente`. Where
the notations contradict each other (`1.234` in a French sentence) there is no value: asking is better
than being wrong by a factor of a thousand.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from activities.discovery.language import word_set
from activities.discovery.reading import Reading, Span, Word, apart
from runs.llm.builtin.cues import are_joined

_NUMBER = re.compile(
    r"(?<![\w.,/-])(?P<sign>[-+]\s?|(?:minus|moins)\s)?(?:[$€£¥]\s?)?"
    r"(?P<digits>\d{1,3}(?:[ ']\d{3})+(?:[.,]\d{1,6})?|\d[\d.,]{0,30}\d|\d)"
    r"(?P<scale>\s?(?:k|thousand|mille|millions?|m)(?![a-z]))?"
    r"(?P<unit>\s?(?:%|percent\b|pour ?cent\b|[$€£¥]"
    r"|(?:eur|usd|gbp|chf|cad|euros?|dollars?|pounds?|livres?|francs?)\b))?"
    r"(?![\w/-]|[.,]\d)"
)
_MONEY_BEFORE = re.compile(r"[$€£¥]\s?$")
_SCALES = {
    "k": 1000,
    "thousand": 1000,
    "mille": 1000,
    "m": 1_000_000,
    "million": 1_000_000,
    "millions": 1_000_000,
}


@dataclass(frozen=True)
class Number:
    """A number found in a text, with what stands at it. `value` is None where the notation is ambiguous."""

    value: Decimal | None
    span: Span
    is_money: bool = False
    is_percent: bool = False
    in_words: bool = False


def numbers(reading: Reading, language: str) -> list[Number]:
    """All numbers of the text that no other value has used, in order."""
    digits = list(_digits(reading, language))
    spelled = [one for one in _spelled(reading) if all(apart(one.span, other.span) for other in digits)]
    free = sorted((one for one in (*digits, *spelled) if reading.is_free(one.span)), key=lambda one: one.span)
    return _with_shared_units(reading, free)


def _with_shared_units(reading: Reading, found: list[Number]) -> list[Number]:
    """ "20 or 30 euros": the unit stands once and counts for both."""
    for index, pair in enumerate(pairwise(found)):
        for offset, (one, other) in enumerate((pair, pair[::-1])):
            if _has_unit(other) and not _has_unit(one) and are_joined(reading, one.span, other.span):
                unit = replace(one, is_money=other.is_money, is_percent=other.is_percent)
                found[index + offset] = unit
    return found


def _has_unit(number: Number) -> bool:
    return number.is_money or number.is_percent


def _digits(reading: Reading, language: str) -> Iterator[Number]:
    for match, span in reading.finditer(_NUMBER):
        unit = (match["unit"] or "").strip()
        percent = unit.startswith(("%", "percent", "pour"))
        money = bool(re.search(r"[$€£¥]", match.group())) or bool(unit and not percent)
        yield Number(_value(match, language), span, money, percent)


def _value(match: re.Match[str], language: str) -> Decimal | None:
    value = parse_decimal(match["digits"], language)
    if value is None or (
        language == "en" and re.fullmatch(r"\d{1,3} \d{3}", match["digits"]) and not match["unit"]
    ):
        return None  # "100 200" in English is as likely two numbers
    scale = _SCALES.get((match["scale"] or "").strip(), 1)
    sign = -1 if (match["sign"] or "").strip() in {"-", "minus", "moins"} else 1
    return value * scale * sign


def parse_decimal(digits: str, language: str) -> Decimal | None:
    """Read a number in either notation. None when it could be two numbers, or is none."""
    compact = digits.replace(" ", "").replace("'", "")
    last_comma, last_dot = compact.rfind(","), compact.rfind(".")
    if last_comma >= 0 and last_dot >= 0:
        decimal = "," if last_comma > last_dot else "."
        return _grouped(compact, "." if decimal == "," else ",", decimal)
    mark = "," if last_comma >= 0 else "."
    if compact.count(mark) > 1:
        return _grouped(compact, mark, "")
    if mark in compact and re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", compact) and " " not in digits:
        return _three_digits(compact, mark, language)
    return Decimal(compact.replace(",", "."))


def _three_digits(compact: str, mark: str, language: str) -> Decimal | None:
    """`1,234` and `1.234`: grouping or decimals, by language; in French a dot may be either."""
    if language == "fr":
        return Decimal(compact.replace(",", ".")) if mark == "," else None
    return Decimal(compact.replace(",", ""))


def _grouped(compact: str, group: str, decimal: str) -> Decimal | None:
    whole, _, fraction = compact.partition(decimal) if decimal else (compact, "", "")
    if not re.fullmatch(rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+", whole) or not re.fullmatch(
        r"\d*", fraction
    ):
        return None
    return (
        Decimal(f"{whole.replace(group, '')}.{fraction or 0}")
        if fraction
        else Decimal(whole.replace(group, ""))
    )


_BELOW_TWENTY = (
    "zero", "one un une", "two deux", "three trois", "four quatre", "five cinq", "six", "seven sept",
    "eight huit", "nine neuf", "ten dix", "eleven onze", "twelve douze", "thirteen treize",
    "fourteen quatorze", "fifteen quinze", "sixteen seize", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_UNITS = {word: value for value, listed in enumerate(_BELOW_TWENTY) for word in listed.split()}
_TENS = {
    "twenty": 20, "vingt": 20, "vingts": 20, "thirty": 30, "trente": 30, "forty": 40, "quarante": 40,
    "fifty": 50, "cinquante": 50, "sixty": 60, "soixante": 60, "seventy": 70, "septante": 70, "eighty": 80,
    "huitante": 80, "ninety": 90, "nonante": 90,
}  # fmt: skip
_HUNDREDS = frozenset(["hundred", "cent", "cents"])
_THOUSANDS = {"thousand": 1000, "mille": 1000, "million": 1_000_000, "millions": 1_000_000}
_JOINERS = frozenset(["and", "et"])
#: Words that are numbers only next to another number word: articles, and a coin.
_WEAK = frozenset(["un", "une", "one", "cent", "cents", "zero"])
_MONEY_WORDS = word_set("euro euros dollar dollars pound pounds franc francs eur usd gbp chf")


def _is_number_word(word: str) -> bool:
    return word in _UNITS or word in _TENS or word in _HUNDREDS or word in _THOUSANDS


def _spelled(reading: Reading) -> Iterator[Number]:
    words = reading.words
    index = 0
    while index < len(words):
        end = index
        while end < len(words) and (_is_number_word(words[end].folded) or _joins(words, index, end)):
            end += 1
        run = [word.folded for word in words[index:end]]
        if run and not (len(run) == 1 and run[0] in _WEAK and len(words) > 1):
            money = end < len(words) and words[end].folded in _MONEY_WORDS
            value = spelled_value(run)
            yield Number(
                None if value is None else Decimal(value),
                (words[index].start, words[end - 1].end),
                money,
                in_words=True,
            )
        index = max(end, index + 1)


def _joins(words: Sequence[Word], index: int, end: int) -> bool:
    return index < end < len(words) - 1 and words[end].folded in _JOINERS and _continues(words, end)


def _continues(words: Sequence[Word], end: int) -> bool:
    """ "two hundred and five", "vingt et un"; but not "two and five"."""
    before, after = words[end - 1].folded, words[end + 1].folded
    return _is_number_word(after) and (before in _TENS or before in _HUNDREDS or before in _THOUSANDS)


def spelled_value(run: list[str]) -> int | None:
    """The value of a run of number words; None when they are several numbers in a row."""
    total = part = 0
    last = 10**9
    for word in run:
        if word in _JOINERS:
            continue
        if word in _THOUSANDS:
            total, part, last = total + max(part, 1) * _THOUSANDS[word], 0, 10**9
        elif word in _HUNDREDS:
            part, last = max(part, 1) * 100, 100
        elif word.startswith("vingt") and part % 100 == 4:
            part, last = part + 76, 20
        else:
            value = _TENS[word] if word in _TENS else _UNITS[word]
            if value >= last:
                return None
            part, last = part + value, _ceiling(word, value)
    return total + part


def _ceiling(word: str, value: int) -> int:
    """What may still follow: units after tens; in French also ten to nineteen, and units after ten."""
    if word in {"soixante", "vingt", "vingts"}:
        return 20
    if word == "dix" or (value > 10 and word in _TENS):
        return 10
    return 0
