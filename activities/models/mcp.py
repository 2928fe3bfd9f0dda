"""MCP servers as sources of tools, the tools they offer, and what a designer settled about each.

A server says what its tools are; a reviewed row here says what of that counts. Secrets are not here: a row
names the environment variable that holds one.
"""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Workspace
from activities.models.fields import Identified, TextsField, in_language


class McpTransport(models.TextChoices):
    HTTP = "http", _("at an address (streamable HTTP)")
    STDIO = "stdio", _("a program on this machine (stdio)")


class McpServer(Identified):
    """A server whose tools this workspace may use. `key` is part of its tools' keys and never changes."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="mcp_servers")
    key = models.CharField(
        max_length=20,
        unique=True,
        validators=[RegexValidator(r"^[a-z][a-z0-9]*$", _("Use small letters and digits."))],
    )
    name = models.CharField(max_length=100)
    transport = models.CharField(max_length=5, choices=McpTransport.choices, default=McpTransport.HTTP)
    command = models.CharField(max_length=300, blank=True)
    args = models.JSONField(default=list, blank=True)
    url = models.CharField(max_length=500, blank=True)
    #: `host` or `host:port`, compared exactly.
    allowed_hosts = models.JSONField(default=list, blank=True)
    private_addresses = models.BooleanField(default=False)
    timeout_seconds = models.PositiveSmallIntegerField(
        default=30, validators=[MinValueValidator(1), MaxValueValidator(300)]
    )
    max_result_bytes = models.PositiveIntegerField(
        default=1_000_000, validators=[MinValueValidator(1_000), MaxValueValidator(5_000_000)]
    )
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    #: Counts the changes of what contracts are made from.
    version = models.PositiveIntegerField(default=1, editable=False)
    # What was observed, not decided: no part of any contract.
    seen_at = models.DateTimeField(null=True, blank=True, editable=False)
    read_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_error = models.CharField(max_length=500, blank=True, editable=False)
    failures = models.PositiveIntegerField(default=0, editable=False)
    #: After failures: not asked before this time.
    retry_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("MCP server")
        verbose_name_plural = _("MCP servers")
        ordering = ["name"]
        permissions = [("use_mcpserver", _("may use the reviewed tools of this server"))]

    def __str__(self) -> str:
        return self.name

    @property
    def source(self) -> str:
        """How its tools name where they are from."""
        return f"mcp:{self.key}"

    @property
    def permission(self) -> str:
        """The one permission that its tools need, in the form that a standing holds."""
        return f"activities.use_mcpserver:{self.pk}"


class McpSecret(Identified):
    """Which environment variable goes into which header (HTTP) or variable of the program (stdio)."""

    server = models.ForeignKey(McpServer, on_delete=models.CASCADE, related_name="secrets")
    name = models.CharField(max_length=100)
    variable = models.CharField(max_length=200)
    #: Written before the value, such as "Bearer ".
    prefix = models.CharField(max_length=40, blank=True)

    class Meta:
        verbose_name = _("secret of an MCP server")
        verbose_name_plural = _("secrets of MCP servers")
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["server", "name"], name="mcp_secret_name_once")]

    def __str__(self) -> str:
        return f"{self.name} ← {self.variable}"


class McpToolState(models.TextChoices):
    PENDING = "pending", _("to be reviewed")  #: Imported; nobody has looked at it.
    REVIEWED = "reviewed", _("reviewed")  #: May be used, exactly as it was reviewed.
    QUARANTINED = "quarantined", _("in quarantine")  #: Changed since; to be looked at again.
    GONE = "gone", _("gone")  #: The server does not offer it any more.


RISKS = [("low", _("low")), ("medium", _("medium")), ("high", _("high"))]


class McpReason(models.TextChoices):
    """Why a tool that was reviewed may not be used any more."""

    CHANGED = "changed", _("its definition changed at the server")
    MOVED = "moved", _("its server is at another address now")
    VANISHED = "vanished", _("its server does not offer it any more")
    WITHDRAWN = "withdrawn", _("a designer put it in quarantine")


class McpTool(Identified):
    """One tool of a server. It is a contract only while it is reviewed and is what was reviewed."""

    workspace_path = "server__workspace"

    server = models.ForeignKey(McpServer, on_delete=models.CASCADE, related_name="tools")
    #: The server's own name for it.
    name = models.CharField(max_length=200)
    key = models.CharField(max_length=64, unique=True)
    position = models.PositiveIntegerField(default=0)
    definition = models.JSONField()
    definition_hash = models.CharField(max_length=64)
    #: What was reviewed; the difference is shown against it.
    pinned = models.JSONField(null=True, blank=True)
    pinned_hash = models.CharField(max_length=64, blank=True)
    state = models.CharField(max_length=11, choices=McpToolState.choices, default=McpToolState.PENDING)
    reason = models.CharField(max_length=9, choices=McpReason.choices, blank=True)
    #: A contract can be made of it.
    usable = models.BooleanField(default=True)
    risk = models.CharField(max_length=6, default="high", choices=RISKS)
    reads_only = models.BooleanField(default=False)
    title = TextsField()
    summary = models.CharField(max_length=300, blank=True)
    #: Words per language, as a list.
    aliases = models.JSONField(default=dict, blank=True)
    examples = models.JSONField(default=dict, blank=True)
    when_not_to_use = models.CharField(max_length=300, blank=True)
    tags = models.JSONField(default=list, blank=True)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    reviewed_at = models.DateTimeField(null=True, blank=True)
    #: Counts the changes of what a contract is made from.
    version = models.PositiveIntegerField(default=1, editable=False)

    class Meta:
        verbose_name = _("MCP tool")
        verbose_name_plural = _("MCP tools")
        ordering = ["position", "key"]
        constraints = [
            models.UniqueConstraint(fields=["server", "name"], name="mcp_tool_name_once_per_server"),
            models.CheckConstraint(
                condition=models.Q(state__in=McpToolState.values), name="mcp_tool_state_is_known"
            ),
        ]

    def __str__(self) -> str:
        return in_language(self.title, "en") or self.name


class McpToolParam(Identified):
    """Who may control one parameter of a tool, as its designer allows it."""

    tool = models.ForeignKey(McpTool, on_delete=models.CASCADE, related_name="params")
    position = models.PositiveIntegerField(default=0)
    name = models.CharField(max_length=64)
    from_input = models.BooleanField(default=True)
    fixed = models.BooleanField(default=True)
    agent = models.BooleanField(default=False)
    #: The reference type of its value; empty where it names no record that this site can look up.
    reference = models.CharField(max_length=100, blank=True)

    class Meta:
        verbose_name = _("parameter of an MCP tool")
        verbose_name_plural = _("parameters of MCP tools")
        ordering = ["position", "name"]
        constraints = [
            models.UniqueConstraint(fields=["tool", "name"], name="mcp_param_once_per_tool"),
            models.CheckConstraint(
                condition=models.Q(from_input=True) | models.Q(fixed=True) | models.Q(agent=True),
                name="mcp_param_is_somebodys",
            ),
        ]

    def __str__(self) -> str:
        return self.name
