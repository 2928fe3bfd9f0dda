"""Discovery at the designer's desk: rates, what was missed, learned words, cards alike."""

from django.utils.translation import gettext_lazy as _

from activities.admin.extensions import DeskLink
from runs.admin.desk.discovery import views

ROUTES = (
    ("discovery/", views.rates_page, "desk_discovery"),
    ("discovery/requests/", views.requests_page, "desk_discovery_requests"),
    ("discovery/requests/<uuid:pk>/", views.request_page, "desk_discovery_request"),
    ("discovery/requests/<uuid:pk>/name/", views.name, "desk_discovery_name"),
    ("discovery/missed/", views.missed_page, "desk_discovery_missed"),
    ("discovery/missed/<uuid:pk>/strike/", views.strike, "desk_discovery_strike"),
    ("discovery/unmet/", views.unmet_page, "desk_discovery_unmet"),
    ("discovery/words/", views.words_page, "desk_discovery_words"),
    ("discovery/words/<uuid:pk>/remove/", views.word_remove, "desk_discovery_word_remove"),
    ("discovery/alike/", views.alike_page, "desk_discovery_alike"),
    ("discovery/index/", views.index_page, "desk_discovery_index"),
)
LINK = DeskLink(_("Discovery"), "desk_discovery")
