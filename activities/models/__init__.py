"""What may be done: agents, their revisions, and all that a revision holds."""

from activities.models.activity import Activity, ActivityInput, ActivityOutput, ActivityPhrase, InputChoice
from activities.models.agent import ActivityIdentity, Agent, Revision, RevisionState
from activities.models.authority import ParamBinding, ToolBinding
from activities.models.catalogue import (
    Card,
    CardKind,
    CardPhrase,
    CardVector,
    EmbedderState,
    ToolGroup,
    ToolGroupEntry,
)
from activities.models.discovery import DiscoveryCandidate, DiscoveryLog
from activities.models.likeness import TextVector
from activities.models.mcp import (
    McpReason,
    McpSecret,
    McpServer,
    McpTool,
    McpToolParam,
    McpToolState,
    McpTransport,
)
from activities.models.openings import OpeningKind, StepOpening
from activities.models.procedure import RoutingInput, RoutingOutcome, Step
from activities.models.prompts import (
    Evaluation,
    EvaluationResult,
    EvaluationStep,
    ExpectedCall,
    TestPrompt,
)

__all__ = [
    "Activity",
    "ActivityIdentity",
    "ActivityInput",
    "ActivityOutput",
    "ActivityPhrase",
    "Agent",
    "Card",
    "CardKind",
    "CardPhrase",
    "CardVector",
    "DiscoveryCandidate",
    "DiscoveryLog",
    "EmbedderState",
    "Evaluation",
    "EvaluationResult",
    "EvaluationStep",
    "ExpectedCall",
    "InputChoice",
    "McpReason",
    "McpSecret",
    "McpServer",
    "McpTool",
    "McpToolParam",
    "McpToolState",
    "McpTransport",
    "OpeningKind",
    "ParamBinding",
    "Revision",
    "RevisionState",
    "RoutingInput",
    "RoutingOutcome",
    "Step",
    "StepOpening",
    "TestPrompt",
    "TextVector",
    "ToolBinding",
    "ToolGroup",
    "ToolGroupEntry",
]
