"""The catalogue's index: a card for each tool and activity, the words and vectors it is found by, and groups.

Rows of this module are derived, all but learned phrases and groups: they can be made again at any time.
"""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField

from accounts.models import Workspace
from activities.models.activity import Activity, PhraseKind
from activities.models.fields import Identified, TextsField, in_language


class CardKind(models.TextChoices):
    TOOL = "tool", _("tool")
    ACTIVITY = "activity", _("activity")


class Card(Identified):
    """The compact entry of one tool or published activity. Without a workspace it is every workspace's."""

    kind = models.CharField(max_length=8, choices=CardKind.choices)
    workspace = models.ForeignKey(
        Workspace, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    #: A tool's key, or `agent.activity`.
    key = models.CharField(max_length=200)
    activity = models.ForeignKey(Activity, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    #: Where a tool comes from, as its contract says it.
    source = models.CharField(max_length=100, blank=True)
    #: What a person must hold to use the tool. Empty for activities: rights on their rows decide.
    permission = models.CharField(max_length=200, blank=True)
    tags = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    name = TextsField()
    summary = TextsField()
    when_not_to_use = models.TextField(blank=True)
    writes = models.BooleanField(default=False)
    risk = models.CharField(max_length=8, blank=True)
    #: About what its longest language costs a model to read.
    tokens = models.PositiveIntegerField(default=0)
    #: Of everything that is indexed: what has not changed is not indexed again.
    digest = models.CharField(max_length=64)
    #: Embedder and digest its vectors were made of: another one here, and they are due again.
    vectors_of = models.CharField(max_length=300, blank=True)
    #: False: quarantined, gone or retired. It is found by nobody.
    available = models.BooleanField(default=True)
    #: Folded stems: A the name, B aliases, C the summary, D examples.
    words = SearchVectorField()
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("card")
        verbose_name_plural = _("cards")
        ordering = ["key"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "workspace", "key"], name="card_once_per_workspace", nulls_distinct=False
            )
        ]
        indexes = [
            models.Index(fields=["kind", "permission"], name="card_permission"),
            models.Index(fields=["key"], name="card_key"),
            GinIndex(fields=["words"], name="card_words"),
            GinIndex(fields=["tags"], name="card_tags"),
        ]

    def __str__(self) -> str:
        return in_language(self.name, "en") or self.key


class CardPhrase(Identified):
    """The users' own words for a card. Learned ones were added by a person and survive re-indexing."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="phrases")
    #: Where it was learned, and counts; empty for what the card says itself.
    workspace = models.ForeignKey(
        Workspace, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    kind = models.CharField(max_length=8, choices=PhraseKind.choices)
    language = models.CharField(max_length=8)
    text = models.CharField(max_length=300)
    learned = models.BooleanField(default=False)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("phrase of a card")
        verbose_name_plural = _("phrases of cards")
        ordering = ["kind", "language", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["card", "workspace", "kind", "language", "text"],
                name="card_phrase_once",
                nulls_distinct=False,
            )
        ]

    def __str__(self) -> str:
        return self.text


class VectorPart(models.TextChoices):
    CARD = "card", _("card")
    EXAMPLE = "example", _("example request")


class CardVector(models.Model):
    """One text of a card as a unit vector. `embedder` names the model: vectors of two are never compared."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="vectors")
    embedder = models.CharField(max_length=200)
    part = models.CharField(max_length=8, choices=VectorPart.choices)
    position = models.PositiveSmallIntegerField(default=0)
    vector = HalfVectorField()

    class Meta:
        verbose_name = _("vector of a card")
        verbose_name_plural = _("vectors of cards")
        constraints = [
            models.UniqueConstraint(fields=["card", "embedder", "part", "position"], name="card_vector_once")
        ]

    def __str__(self) -> str:
        return f"{self.part} {self.position}"


class ToolGroup(Identified):
    """Tools a workspace uses together, under a name of its own."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="tool_groups")
    key = models.SlugField(max_length=64)
    name = TextsField()

    class Meta:
        verbose_name = _("tool group")
        verbose_name_plural = _("tool groups")
        ordering = ["key"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "key"], name="tool_group_key_once_per_workspace")
        ]

    def __str__(self) -> str:
        return in_language(self.name, "en") or self.key


class ToolGroupEntry(Identified):
    """One tool of a group, by key: the group outlives a tool that goes and comes back."""

    group = models.ForeignKey(ToolGroup, on_delete=models.CASCADE, related_name="entries")
    tool_key = models.CharField(max_length=200)

    class Meta:
        verbose_name = _("tool of a group")
        verbose_name_plural = _("tools of a group")
        ordering = ["tool_key"]
        constraints = [models.UniqueConstraint(fields=["group", "tool_key"], name="tool_once_per_group")]

    def __str__(self) -> str:
        return self.tool_key
