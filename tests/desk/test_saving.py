"""What the desk saves, what it refuses, and that nothing typed is lost."""

from collections.abc import Callable
from typing import Any

from django.test import Client

from accounts.models import AuditEvent, User
from activities.models import Activity, ParamBinding, Revision, ToolBinding
from tests.desk.conftest import at, card_data, step_data
from tests.support.world import World


def version(part: Activity) -> int:
    return Revision.objects.get(pk=part.revision_id).version


def test_a_card_is_saved_and_recorded(part: Activity, desk: Client) -> None:
    sent = card_data(
        part, summary_fr="Fait tout.", aliases_fr="faire\n\n faire \ntraiter", examples_en="Do it!"
    )
    assert desk.post(at("desk_section", part.pk, "card"), sent).status_code == 302
    part.refresh_from_db()
    assert part.summary == {"en": "Does handle with the store.", "fr": "Fait tout."}
    assert [p.text for p in part.phrases.filter(language="fr")] == ["faire", "traiter"]
    event = AuditEvent.objects.filter(type="revision.changed").latest("id")
    places = {change["place"]: change for change in event.data["changes"]}
    assert places["activities/handle/summary/fr"]["after"] == "Fait tout."
    history = desk.get(at("desk_history", part.revision_id)).content.decode()
    assert "activities/handle/summary/fr" in history
    assert "Fait tout." in history


def test_the_second_of_two_is_told_and_keeps_what_they_typed(
    part: Activity, desk: Client, colleague: User, sign_in: Callable[[User], Client]
) -> None:
    other = sign_in(colleague)
    mine, theirs = card_data(part, instructions="Mine."), card_data(part, instructions="Theirs.")
    assert desk.post(at("desk_section", part.pk, "card"), mine).status_code == 302
    refused = other.post(at("desk_section", part.pk, "card"), theirs)
    page = refused.content.decode()
    assert refused.status_code == 409
    assert "Dora changed this draft" in page
    assert "Theirs." in page
    assert f'name="version" value="{version(part)}"' in page
    part.refresh_from_db()
    assert part.instructions == "Mine."
    again = card_data(part, instructions="Theirs.")
    assert other.post(at("desk_section", part.pk, "card"), again).status_code == 302
    part.refresh_from_db()
    assert part.instructions == "Theirs."


def rows(prefix: str, *items: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {f"{prefix}-TOTAL_FORMS": len(items), f"{prefix}-INITIAL_FORMS": 0}
    for place, item in enumerate(items):
        found |= {f"{prefix}-{place}-ORDER": place + 1}
        found |= {f"{prefix}-{place}-{name}": value for name, value in item.items()}
    return found


def an_input(place: int, name: str, kind: str = "text", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "choices-TOTAL_FORMS": 0, "choices-INITIAL_FORMS": 0, **more}


def test_inputs_are_rows_with_choices(part: Activity, desk: Client) -> None:
    choice = {
        "choices-TOTAL_FORMS": 1, "choices-INITIAL_FORMS": 0, "choices-0-value": "new", "choices-0-ORDER": 1,
        "choices-0-label_en": "New", "choices-0-words_en": "fresh\nbrand new",
    }  # fmt: skip
    items = (
        an_input(0, "item", "reference", reference="store.item", required="on"),
        {"name": "state", "type": "choice", "minimum": "3", **choice},
        an_input(2, "gone", DELETE="on"),
    )
    sent = {"version": version(part), **rows("inputs", *items)}
    assert desk.post(at("desk_section", part.pk, "inputs"), sent).status_code == 302
    first, second = part.inputs.all()
    assert (first.reference, first.required) == ("store.item", True)
    assert (second.minimum, second.choices.get().words) == (None, {"en": ["fresh", "brand new"]})
    schema = desk.get(at("desk_section", part.pk, "inputs")).content.decode()
    assert "&quot;enum&quot;" in schema


def test_a_wrong_row_saves_nothing(part: Activity, desk: Client) -> None:
    for wrong in (
        [an_input(0, "Not A Name")],
        [an_input(0, "same"), an_input(1, "same")],
        [an_input(0, "choice_without_values", "choice")],
        [an_input(0, "which", "reference")],
        [an_input(0, "range", "integer", minimum="5", maximum="2")],
        [an_input(0, "kind", "nonsense")],
    ):
        sent = {"version": version(part), **rows("inputs", *wrong)}
        answer = desk.post(at("desk_section", part.pk, "inputs"), sent)
        assert answer.status_code == 422, wrong
        assert "desk-error" in answer.content.decode(), wrong
    assert [row.name for row in part.inputs.all()] == ["item"]


def tool_data(part: Activity, **changes: Any) -> dict[str, Any]:
    return {"version": version(part), "param-item-source": "input", "param-item-input": "item"} | changes


def test_only_sources_of_the_contract_are_offered_and_taken(part: Activity, desk: Client) -> None:
    part.inputs.all()
    url = at("desk_tools", part.pk)
    desk.post(url, {"version": version(part), "add": "store.measure"})
    url = at("desk_tool", part.pk, "store.measure")
    page = desk.get(url).content.decode()
    assert 'name="param-number-source"' in page
    offered = page.split('name="param-number-source"')[1].split("</select>")[0]
    assert 'value="agent"' in offered
    assert 'value="fixed"' not in offered
    sent = {"version": version(part), "param-number-source": "fixed", "param-number-fixed": "3"}
    assert desk.post(url, sent).status_code == 422
    assert not ParamBinding.objects.filter(binding__tool_key="store.measure").exists()


def test_risk_is_raised_never_lowered_and_high_is_always_confirmed(part: Activity, desk: Client) -> None:
    url = at("desk_tool", part.pk, "store.order")
    page = desk.get(url).content.decode()
    assert 'value="medium"' not in page.split('name="tool-raise_risk"')[1].split("</select>")[0]
    assert desk.post(url, tool_data(part, **{"tool-raise_risk": "medium"})).status_code == 422
    field = page.split('name="tool-confirm"')[1].split(">")[0]
    assert "checked" in field
    assert "disabled" in field
    url = at("desk_tool", part.pk, "store.find_items")
    sent = {"version": version(part), "tool-raise_risk": "high", "tool-confirm": "on"}
    assert desk.post(url, sent).status_code == 302
    binding = ToolBinding.objects.get(activity=part, tool_key="store.find_items")
    assert (binding.raised_risk, binding.always_confirm) == ("high", True)


def test_a_tool_that_nobody_has_is_not_added(part: Activity, desk: Client) -> None:
    desk.post(at("desk_tools", part.pk), {"version": version(part), "add": "store.nothing"})
    assert part.tool_bindings.count() == 2


def test_a_step_is_checked_when_it_is_saved(part: Activity, desk: Client) -> None:
    step = part.steps.all()[0]
    url = at("desk_step", part.pk, step.pk)
    for wrong in (
        {"passes_when": "facts.find_items.count >"},
        {"passes_when": "facts.find_items.colour == 1"},
        {"passes_when": "has(facts.nothing)"},
        {"tools": ["store.notify"]},
        {"tools": []},
        {"key": "buy"},
        {"stops_when": "facts.find_items.count == 0"},
        {"stop_message_en": "{{ facts.find_items.colour }}"},
        {"max_attempts": "0"},
        {"passes_when": "true || " * 300 + "true"},
    ):
        answer = desk.post(url, step_data(part, step.pk, **wrong))
        assert answer.status_code == 422, wrong
    step.refresh_from_db()
    assert step.passes_when == "has(facts.find_items)"
    assert desk.post(url, step_data(part, step.pk, goal="Look.")).status_code == 302
    step.refresh_from_db()
    assert step.goal == "Look."


def test_steps_are_ordered_and_removed(part: Activity, desk: Client) -> None:
    _find, buy = part.steps.all()
    desk.post(at("desk_steps", part.pk), {"version": version(part), "move": str(buy.pk), "up": ""})
    assert [step.key for step in part.steps.all()] == ["buy", "find"]
    desk.post(at("desk_steps", part.pk), {"version": version(part), "remove": str(buy.pk)})
    assert [(step.key, step.position) for step in part.steps.all()] == [("find", 0)]


def output(name: str = "count", **more: Any) -> dict[str, Any]:
    return {"name": name, "source": "fact", "fact": "facts.find_items.count", "fixed_kind": "text", **more}


def answer_data(part: Activity, template: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"version": version(part), "template_en": template, **rows("outputs", *(outputs or (output(),)))}


def test_an_unknown_field_is_an_error_at_save(part: Activity, desk: Client) -> None:
    url = at("desk_section", part.pk, "answer")
    for template in ("{{ output.colour }}", "{% if output.count > 9 %}{{ output.x }}{% endif %}", "{% if %}"):
        assert desk.post(url, answer_data(part, template)).status_code == 422, template
    part.refresh_from_db()
    assert part.template == {"en": "All done."}
    assert desk.post(url, answer_data(part, "{{ output.number }}", output("number"))).status_code == 302


def test_an_output_is_picked_from_what_there_is(part: Activity, desk: Client) -> None:
    url = at("desk_section", part.pk, "answer")
    for wrong in (
        output(fact="facts.find_items.colour"),
        output(fact=""),
        output(source="input", input="nothing"),
        output(source="prose"),
        output(source="fixed", fixed_kind="integer", fixed="many"),
    ):
        assert desk.post(url, answer_data(part, "Done.", wrong)).status_code == 422, wrong
    fixed = output("all", source="fixed", fixed_kind="boolean", fixed="yes")
    assert desk.post(url, answer_data(part, "Done.", fixed)).status_code == 302
    assert part.outputs.get().fixed_value is True


def test_limits_are_saved_and_empty_is_the_default(part: Activity, desk: Client) -> None:
    url = at("desk_section", part.pk, "limits")
    assert "200000" in desk.get(url).content.decode()
    assert desk.post(url, {"version": version(part), "max_tool_calls": "7"}).status_code == 302
    part.refresh_from_db()
    assert (part.max_tool_calls, part.max_model_calls) == (7, None)
    assert desk.post(url, {"version": version(part), "max_tool_calls": "0"}).status_code == 422


def test_what_is_written_is_text(part: Activity, desk: Client) -> None:
    bad = "<script>alert(1)</script>"
    desk.post(at("desk_section", part.pk, "card"), card_data(part, name_en=bad, instructions=bad))
    for url in (at("desk_section", part.pk, "card"), at("desk_revision", part.revision_id)):
        assert bad not in desk.get(url).content.decode()
    sent = {"template_en": f"{bad} <img src=x onerror=alert(1)> **ok**", "preview_language": "en"}
    shown = desk.post(at("desk_preview", part.pk), sent).content.decode()
    assert "<script" not in shown
    assert "<img" not in shown
    assert "<strong>ok</strong>" in shown


def test_the_preview_tells_what_is_wrong_and_ends(part: Activity, desk: Client) -> None:
    url = at("desk_preview", part.pk)
    assert "3" in desk.post(url, {"template_en": "{{ output.count }}"}).content.decode()
    assert 'role="alert"' in desk.post(url, {"template_en": "{{ output.x }}"}).content.decode()
    loop = "{% for a in (1..99999) %}{% for b in (1..99999) %}x{% endfor %}{% endfor %}"
    assert 'role="alert"' in desk.post(url, {"template_en": loop}).content.decode()


def test_problems_lead_to_the_place(world: World, part: Activity, desk: Client) -> None:
    desk.post(at("desk_section", part.pk, "card"), card_data(part, aliases_en=""))
    page = desk.get(at("desk_revision", part.revision_id)).content.decode()
    assert f'href="{at("desk_section", part.pk, "card")}"' in page.split("problems-title")[2]
    desk.post(at("desk_publish", part.revision_id))
    assert Revision.objects.get(pk=part.revision_id).state == "draft"
