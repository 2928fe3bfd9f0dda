"""Who people are, where they belong, and the record of what was done."""

from accounts.models.audit import ActorKind, AuditEvent, AuditSeal, AuditStream
from accounts.models.people import Language, User
from accounts.models.signin import SignInThrottle
from accounts.models.tokens import ApiToken, Scope
from accounts.models.workspaces import Membership, Role, Workspace, WorkspaceGroup

__all__ = [
    "ActorKind",
    "ApiToken",
    "AuditEvent",
    "AuditSeal",
    "AuditStream",
    "Language",
    "Membership",
    "Role",
    "Scope",
    "SignInThrottle",
    "User",
    "Workspace",
    "WorkspaceGroup",
]
