"""Trials, test prompts and evaluations at the designer's desk, and what it shows of real runs."""

from django.contrib import admin
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _

from activities.admin.extensions import RevisionLink, extensions
from runs.admin.desk import discovery, evaluations, past, prompts, trials

_ROUTES = (
    ("revisions/<uuid:revision_id>/trial/", trials.trial_page, "desk_trial"),
    ("trials/<uuid:run_id>/", trials.result_page, "desk_trial_result"),
    ("trials/<uuid:run_id>/answer/", trials.answer, "desk_trial_answer"),
    ("revisions/<uuid:revision_id>/prompts/", prompts.prompts_page, "desk_prompts"),
    ("revisions/<uuid:revision_id>/prompts/new/", prompts.prompt_page, "desk_prompt_new"),
    ("revisions/<uuid:revision_id>/prompts/<uuid:prompt_id>/", prompts.prompt_page, "desk_prompt"),
    ("revisions/<uuid:revision_id>/prompts/<uuid:prompt_id>/delete/", prompts.delete, "desk_prompt_delete"),
    ("revisions/<uuid:revision_id>/evaluations/", evaluations.evaluations_page, "desk_evaluations"),
    ("revisions/<uuid:revision_id>/evaluations/run/", evaluations.run, "desk_evaluation_run"),
    *discovery.ROUTES,
)


def _urls() -> list[URLPattern]:
    return [path(route, admin.site.admin_view(view), name=name) for route, view, name in _ROUTES]


extensions.urls.append(_urls)
extensions.revision_links += [
    RevisionLink(_("Try"), "desk_trial"),
    RevisionLink(_("Test prompts"), "desk_prompts"),
    RevisionLink(_("Evaluations"), "desk_evaluations"),
]
extensions.desk_links.append(discovery.LINK)
extensions.default_limits = past.default_limits()
extensions.used = past.used_of
extensions.past_runs = past.past_runs
extensions.past_scope = past.past_scope
