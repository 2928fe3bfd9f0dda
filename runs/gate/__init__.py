"""The gate: whether a proposed call may run. Asked when it is proposed, and again when it is executed.

contract → step → permission → provenance → schema → grounding → domain guard → guardrail → disclosure →
confirmation. Each refusal has a code, and a sentence the model or a person can act on without being
handed values they did not know.
"""

from runs.gate.order import call_digest, check, recheck
from runs.gate.verdicts import Admitted, FinalArgument, Refused

__all__ = ["Admitted", "FinalArgument", "Refused", "call_digest", "check", "recheck"]
