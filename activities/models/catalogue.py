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
    #: Whose vectors it has, and from which texts: those of an older digest serve until new ones are made.
    embedder = models.CharField(max_length=200, blank=True)
    embedded_digest = models.CharField(max_length=64, blank=True)
    #: False: quarantined, gone or retired. It is found by nobody.
    available = models.BooleanField(default=True)
    #: Folded stems: A the name, B aliases, C the summary, D examples.
    words = SearchVectorField()
    #: Stem → what it is worth, for the final ranking.
    weights = models.JSONField(default=dict, blank=True)
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
            # All that the permission filter asks: it is answered without a look at the rows.
            models.Index(
                fields=["kind", "permission", "workspace"],
                include=["id", "key", "source", "tags", "embedder", "updated_at"],
                condition=models.Q(available=True),
                name="card_permitted",
            ),
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


class CardVector(models.Model):
    """What a card means, for one embedder: vectors of two embedders are never compared.

    A vector is the mean of its texts, which finds the card among thousands: `vector` of name, aliases and
    summaries, `example_vector` of the masked examples, if there are any. `texts` and `example_texts` are the
    texts' own vectors, for the final ranking: one row of half-precision floats after the other; `phrasings`
    and `example_phrasings` how they are worded (`activities.discovery.phrasing`).
    """

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="vectors")
    #: The card's own, so that a comparison of thousands reads no other row.
    permission = models.CharField(max_length=200, blank=True)
    embedder = models.CharField(max_length=200)
    vector = HalfVectorField()
    example_vector = HalfVectorField(null=True)
    texts = models.BinaryField()
    example_texts = models.BinaryField(default=bytes)
    phrasings = models.BinaryField(default=bytes)
    example_phrasings = models.BinaryField(default=bytes)

    class Meta:
        verbose_name = _("vectors of a card")
        verbose_name_plural = _("vectors of cards")
        constraints = [models.UniqueConstraint(fields=["card", "embedder"], name="card_vectors_once")]
        indexes = [models.Index(fields=["embedder", "permission"], name="card_vector_permission")]

    def __str__(self) -> str:
        return f"{self.embedder}: {self.card_id}"


class EmbedderState(models.Model):
    """Whether the vectors' model answers: the last trouble with it, as any process found it."""

    embedder = models.CharField(max_length=200, primary_key=True)
    trouble = models.TextField(blank=True)
    since = models.DateTimeField()

    class Meta:
        verbose_name = _("state of the embedder")
        verbose_name_plural = _("states of embedders")

    def __str__(self) -> str:
        return self.embedder


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
