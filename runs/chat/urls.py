"""The chat's addresses."""

from django.urls import path

from runs.chat.views import conversations, deeds, inbox, missed, runs

app_name = "chat"
urlpatterns = [
    path("", conversations.home, name="home"),
    path("start", deeds.start, name="start"),
    path("conversations/", conversations.conversations, name="conversations"),
    path("conversations/<uuid:conversation_id>/", conversations.conversation, name="conversation"),
    path("conversations/<uuid:conversation_id>/messages", deeds.message, name="message"),
    path("conversations/<uuid:conversation_id>/updates", conversations.updates, name="updates"),
    path("conversations/<uuid:conversation_id>/before/<uuid:run_id>", conversations.earlier, name="earlier"),
    path("questions/<uuid:question_id>/answer", deeds.answer, name="answer"),
    path("confirmations/<uuid:confirmation_id>/decide", deeds.decide, name="decide"),
    path("inbox/", inbox.inbox, name="inbox"),
    path("inbox/badge", inbox.badge, name="inbox_badge"),
    path("inbox/<uuid:escalation_id>/", inbox.escalation, name="escalation"),
    path("inbox/<uuid:escalation_id>/decide", inbox.decide, name="escalation_decide"),
    path(
        "inbox/<uuid:escalation_id>/confirmations/<uuid:confirmation_id>",
        inbox.confirm,
        name="escalation_confirm",
    ),
    path("runs/", runs.runs, name="runs"),
    path("runs/<uuid:run_id>/", runs.run, name="run"),
    path("runs/<uuid:run_id>/export", runs.export, name="run_export"),
    path("runs/<uuid:run_id>/stop", deeds.stop, name="stop"),
    path("runs/<uuid:run_id>/missed", missed.missed, name="missed"),
]
