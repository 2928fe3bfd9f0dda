"""The built-in interpreter: a model without a model.

It reads a request's task, not its prompt, and answers with the same function calls a model would, in
English and French, deterministically, without a network. It knows no business: only cards, typed fields and
the two languages. What the words do not hold it leaves open, so that the person is asked.
"""

from runs.llm.builtin.model import BuiltinModel

__all__ = ["BuiltinModel"]
