"""Cards that say nearly the same: which, how near, in which words, and whether that is told apart."""

from activities.likeness.cards import Likened, of_activity, of_tool
from activities.likeness.pairs import Alike, Pair, alike

__all__ = ["Alike", "Likened", "Pair", "alike", "of_activity", "of_tool"]
