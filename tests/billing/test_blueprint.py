"""The agent's blueprint against the tools' contracts, and its answers over real facts."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

import markdown
import pytest

from accounts import access
from accounts.actions import member_add, workspace_create
from accounts.models import Role
from activities import conditions, paths, templates
from activities.actions import agent_import, revision_publish
from activities.blueprint import ActivityPart
from activities.publishing import problems
from activities.tools import Control, Risk, ToolContext, ToolContract, registry
from agentapp.kernel.canonical import plain
from examples.billing import known
from examples.billing.demo import load_blueprint
from tests.billing import build
from tests.billing.conftest import History

BLUEPRINT = load_blueprint()
ACTIVITIES = {part.key: part for part in BLUEPRINT.activities}
READ_ONLY = {"analyse_customer_relationship", "find_invoices", "analyse_payment_exception"}
every_activity = pytest.mark.parametrize("key", ACTIVITIES)


def contracts(activity: ActivityPart) -> dict[str, ToolContract]:
    """The activity's tools by fact key. Fails for one that does not exist."""
    found = {part.tool: registry.get(part.tool) for part in activity.tools}
    assert all(found.values()), found
    return {contract.fact_key: contract for contract in found.values() if contract}


def has_field(activity: ActivityPart, path: str) -> bool:
    """True when `facts.tool.field` or `inputs.name` names something the contracts give."""
    root, name, *rest = path.split(".")
    if root == "inputs":
        return name in {part.name for part in activity.inputs}
    contract = contracts(activity).get(name)
    schema: Mapping[str, Any] = contract.result_schema if contract else {}
    for field in rest:
        schema = schema.get("properties", {}).get(field, {})
    return bool(schema)


def fact_paths(activity: ActivityPart) -> Iterator[str]:
    """Every path that conditions, outputs and routing read."""
    for step in activity.steps:
        for expression in filter(None, (step.passes_when, step.stops_when)):
            yield from conditions.values_read(expression)
    for outcome in activity.routing:
        yield from conditions.values_read(outcome.when)
        yield from outcome.inputs.values()
    yield from (part.fact for part in activity.outputs if part.source == "fact")


def test_it_holds_the_seven_activities() -> None:
    assert list(ACTIVITIES) == [
        "analyse_customer_relationship",
        "refund_invoice",
        "send_payment_reminder",
        "find_invoices",
        "draft_credit_note",
        "analyse_payment_exception",
        "settle_payment_exception",
    ]


@every_activity
def test_what_conditions_outputs_and_routing_read_exists(key: str) -> None:
    activity = ACTIVITIES[key]
    assert [path for path in fact_paths(activity) if not has_field(activity, path)] == []


@every_activity
def test_every_parameter_has_a_source_its_contract_allows(key: str) -> None:
    activity = ACTIVITIES[key]
    inputs = {part.name for part in activity.inputs}
    for binding in activity.tools:
        contract = registry.get(binding.tool)
        assert contract is not None
        for param in contract.params:
            if param.name not in binding.params:
                assert not param.required, (binding.tool, param.name)
                continue
            part = binding.params[param.name]
            assert Control(part.source) in param.controlled_by
            assert part.source != "input" or part.input.split(".")[0] in inputs


@every_activity
def test_conditions_compile_and_templates_parse_in_both_languages(key: str) -> None:
    activity = ACTIVITIES[key]
    for step in activity.steps:
        for expression in filter(None, (step.passes_when, step.stops_when)):
            conditions.check(expression)
        assert not step.stops_when or set(step.stop_message) == {"en", "fr"}
    for texts in (activity.template, *(part.fallback for part in activity.outputs if part.fallback)):
        assert set(texts) == {"en", "fr"}
        for source in texts.values():
            templates.check(source)


@every_activity
def test_its_card_is_short_and_speaks_both_languages(key: str) -> None:
    activity = ACTIVITIES[key]
    for language in ("en", "fr"):
        assert len(set(activity.examples[language])) >= 6
        card = [activity.name[language], activity.summary[language], *activity.aliases[language]]
        assert len(" ".join(card).split()) <= 40, "about fifty tokens"
    assert activity.when_not_to_use


def test_no_example_belongs_to_two_activities() -> None:
    examples = [text for part in BLUEPRINT.activities for texts in part.examples.values() for text in texts]
    assert len(set(examples)) == len(examples)


@every_activity
def test_what_only_reads_holds_no_tool_that_writes(key: str) -> None:
    risks = {contract.risk for contract in contracts(ACTIVITIES[key]).values()}
    assert (risks == {Risk.LOW}) == (key in READ_ONLY)


def test_settling_is_reached_only_from_a_recommendation() -> None:
    assert [key for key, part in ACTIVITIES.items() if not part.entry] == ["settle_payment_exception"]
    outcome = ACTIVITIES["analyse_payment_exception"].routing[0]
    target = ACTIVITIES[outcome.activity]
    assert set(outcome.inputs) == {part.name for part in target.inputs}


def test_tools_of_all_three_risks_are_declared() -> None:
    own = [contract for contract in registry.declared() if contract.key.startswith("billing.")]
    assert len(own) >= 10
    assert {contract.risk for contract in own} == set(Risk)
    assert all(contract.preview for contract in own if contract.risk is Risk.HIGH)
    by_key = {contract.key: contract for contract in own}
    assert set(by_key["billing.get_customer"].protected) == {"email"}
    assert set(by_key["billing.send_payment_reminder"].protected) == {"recipient"}
    for key in ("billing.refund_invoice", "billing.settle_payment", "billing.send_payment_reminder"):
        assert Control.AGENT not in by_key[key].param("amount").controlled_by, "no model chooses an amount"


def test_it_is_imported_and_published_without_a_problem(db: None) -> None:
    workspace = workspace_create(slug="blue", name="Blue")
    designer = build.user("designer@example.com")
    member_add(workspace, designer, [Role.DESIGNER])
    revision = agent_import(BLUEPRINT, workspace=workspace, actor=designer)
    access.grant("activities.use_agent", designer, revision.agent)
    assert problems(revision) == []
    assert revision_publish(revision, actor=designer).state == "published"


Calls = dict[str, dict[str, Any]]


def play(ctx: ToolContext, key: str, calls: Calls, language: str) -> tuple[str, dict[str, Any]]:
    """Execute the calls as the engine does, and return the answer and the facts."""
    facts: dict[str, Any] = {}
    for tool, arguments in calls.items():
        contract = registry.get(tool)
        assert contract is not None
        params = contract.params_model.model_validate(arguments)
        params = contract.prepare(ctx, params) if contract.prepare else params
        if contract.guard:
            contract.guard(ctx, params)
        facts[contract.fact_key] = plain(contract.function(ctx, params))
    return answer(ACTIVITIES[key], facts, language), facts


def answer(activity: ActivityPart, facts: dict[str, Any], language: str) -> str:
    scope: dict[str, Any] = {"facts": facts, "inputs": {}}
    output = {}
    for part in activity.outputs:
        if part.source == "prose":
            output[part.name] = templates.render_plain(part.fallback[language], scope, language).strip()
            assert len(output[part.name]) <= part.max_length
        else:
            output[part.name] = paths.read(part.fact, scope)
    return templates.render(activity.template[language], {**scope, "output": output}, language)


def holds(key: str, step: str, facts: dict[str, Any], **inputs: Any) -> tuple[bool, bool]:
    """Whether the step's passing and stopping conditions hold."""
    part = next(part for part in ACTIVITIES[key].steps if part.key == step)
    scope = {"facts": facts, "inputs": inputs, "attempts": 1}
    stops = bool(part.stops_when) and conditions.evaluate(part.stops_when, scope).holds
    return conditions.evaluate(part.passes_when, scope).holds, stops


def stop_message(key: str, step: str, scope: dict[str, Any], language: str) -> str:
    part = next(part for part in ACTIVITIES[key].steps if part.key == step)
    return " ".join(templates.render(part.stop_message[language], scope, language).replace("\\", "").split())


def analysis_calls(code: str) -> Calls:
    period = {"period_start": build.TODAY - timedelta(days=365), "period_end": build.TODAY}
    return {
        "billing.get_customer": {"customer": code},
        "billing.list_invoices": {"customer": code, **period},
        "billing.collect_analysis": {"customer": code, **period},
    }


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_analysis_answers_with_its_figures(history: History, language: str) -> None:
    calls = analysis_calls(known.RICH_CUSTOMER)
    text, facts = play(history.ctx, "analyse_customer_relationship", calls, language)
    figures = facts["collect_analysis"]
    html = markdown.markdown(text, extensions=["tables"])
    assert html.count("<table>") == 4
    assert html.count("<tr>") == 4 + 5 + len(figures["products"]) + 2
    total = Decimal(figures["total_spend"])
    assert (f"£{total:,.2f}" in text) == (language == "en")
    assert figures["top_products"][0]["name"] in text
    assert str(figures["confidence_index"]) in text
    assert "John Doe" in text
    for step in ("fetch", "analyse", "present"):
        assert holds("analyse_customer_relationship", step, facts) == (True, False)


def test_the_analysis_stops_where_there_is_no_invoice(history: History) -> None:
    calls = analysis_calls(known.DORMANT_CUSTOMER)
    del calls["billing.collect_analysis"]
    facts = {
        key.split(".")[1]: plain(
            registry.get(key).function(history.ctx, registry.get(key).params_model(**values))
        )
        for key, values in calls.items()
    }
    assert holds("analyse_customer_relationship", "fetch", facts)[1]
    period = {"start": "2025-06-30", "end": "2026-06-30"}
    said = stop_message(
        "analyse_customer_relationship", "fetch", {"facts": facts, "inputs": {"period": period}}, "en"
    )
    assert said == (
        "There is nothing to analyse. Théodore Vasseur has no invoice from 30 June 2025 to 30 June 2026."
    )


def test_an_analysis_of_nothing_paid_yet_can_be_answered(ctx: ToolContext) -> None:
    build.invoice(build.customer(ctx.workspace, code="C-0001"), issued_on=build.TODAY)
    text, _facts = play(ctx, "analyse_customer_relationship", analysis_calls("C-0001"), "en")
    assert "nothing paid yet" in text


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_other_activity_answers_in_both_languages(ctx: ToolContext, language: str) -> None:
    customer = build.customer(ctx.workspace, "Jane Roe", "C-0001")
    paid, owed = build.invoice(customer), build.invoice(customer, total="75.00")
    build.pay(paid, "100.00")
    loose = build.payment(customer, "75.00")
    settled = {"payment": loose.number, "invoice": owed.number}
    cases: dict[str, Calls] = {
        "find_invoices": {"billing.list_invoices": {"customer": "C-0001"}},
        "draft_credit_note": {
            "billing.get_invoice": {"invoice": owed.number},
            "billing.draft_credit_note": {"invoice": owed.number, "reason": "broken", "amount": "5.00"},
        },
        "refund_invoice": {
            "billing.get_invoice": {"invoice": paid.number},
            "billing.refund_invoice": {"invoice": paid.number, "reason": "broken"},
        },
        "send_payment_reminder": {
            "billing.get_invoice": {"invoice": owed.number},
            "billing.send_payment_reminder": {"invoice": owed.number},
        },
        "analyse_payment_exception": {
            "billing.get_payment": {"payment": loose.number},
            "billing.propose_allocation": {"payment": loose.number},
        },
        "settle_payment_exception": {
            "billing.get_payment": {"payment": loose.number},
            "billing.get_invoice": {"invoice": owed.number},
            "billing.settle_payment": settled,
        },
    }
    expected = {
        "find_invoices": "175",
        "draft_credit_note": "CN-2026-0001",
        "refund_invoice": "100",
        "send_payment_reminder": "jane.roe@example.com",
        "analyse_payment_exception": owed.number,
        "settle_payment_exception": loose.number,
    }
    assert {*cases, "analyse_customer_relationship"} == set(ACTIVITIES)
    for key, calls in cases.items():
        text, facts = play(ctx, key, calls, language)
        assert expected[key] in text, key
        for step in ACTIVITIES[key].steps:
            assert holds(key, step.key, facts) == (True, False), (key, step.key)


@pytest.mark.parametrize(
    ("situation", "said"),
    [
        ("unpaid", "nothing was paid on it."),
        ("refunded", "everything that was paid went back already."),
        ("disputed", "it is disputed."),
        ("cancelled", "it was cancelled."),
    ],
)
def test_a_refund_stops_where_nothing_can_be_refunded(ctx: ToolContext, situation: str, said: str) -> None:
    fields = {f"{situation}_on": build.TODAY} if situation in ("disputed", "cancelled") else {}
    invoice = build.invoice(build.customer(ctx.workspace), **fields)
    if situation != "unpaid":
        build.pay(invoice, "100.00")
    if situation == "refunded":
        play(
            ctx,
            "refund_invoice",
            {"billing.refund_invoice": {"invoice": invoice.number, "reason": "broken"}},
            "en",
        )
    contract = registry.get("billing.get_invoice")
    facts = {"get_invoice": plain(contract.function(ctx, contract.params_model(invoice=invoice.number)))}
    assert holds("refund_invoice", "check", facts) == (False, True)
    told = stop_message("refund_invoice", "check", {"facts": facts}, "en")
    assert told == f"Nothing was refunded on invoice {invoice.number}: {said}"
    assert stop_message("refund_invoice", "check", {"facts": facts}, "fr").startswith("Rien n'a été")


@pytest.mark.parametrize(
    ("key", "most", "said"),
    [
        ("refund_invoice", "80.00", "€80.00 that can go back."),
        ("draft_credit_note", "100.00", "over €100.00."),
    ],
)
def test_an_amount_beyond_the_invoice_stops_with_the_most_there_is(
    ctx: ToolContext, key: str, most: str, said: str
) -> None:
    invoice = build.invoice(build.customer(ctx.workspace))
    build.pay(invoice, "80.00")
    contract = registry.get("billing.get_invoice")
    facts = {"get_invoice": plain(contract.function(ctx, contract.params_model(invoice=invoice.number)))}
    assert holds(key, "check", facts, amount=most) == (True, False)
    assert holds(key, "check", facts, amount=None) == (True, False)
    assert holds(key, "check", facts, amount=f"{most}1")[1]
    assert stop_message(key, "check", {"facts": facts}, "en").endswith(said)


@pytest.mark.parametrize(
    ("situation", "said"),
    [
        ("paid", "it is paid."),
        ("early", "it is due on 26 February 2027 only."),
        ("disputed", "it is disputed."),
    ],
)
def test_a_reminder_stops_where_nothing_is_overdue(ctx: ToolContext, situation: str, said: str) -> None:
    fields: dict[str, Any] = {"disputed_on": build.TODAY} if situation == "disputed" else {}
    invoice = build.invoice(
        build.customer(ctx.workspace), due_in=301 if situation == "early" else 30, **fields
    )
    if situation == "paid":
        build.pay(invoice, "100.00")
    contract = registry.get("billing.get_invoice")
    facts = {"get_invoice": plain(contract.function(ctx, contract.params_model(invoice=invoice.number)))}
    assert holds("send_payment_reminder", "check", facts) == (False, True)
    told = stop_message("send_payment_reminder", "check", {"facts": facts}, "en")
    assert told == f"No reminder was sent for invoice {invoice.number}: {said}"


def test_only_a_clear_recommendation_is_handed_over(history: History) -> None:
    outcome = ACTIVITIES["analyse_payment_exception"].routing[0]
    contract = registry.get("billing.propose_allocation")
    for number, handed_over in ((known.MATCHING_PAYMENT, True), (known.AMBIGUOUS_PAYMENT, False)):
        facts = {
            "propose_allocation": plain(contract.function(history.ctx, contract.params_model(payment=number)))
        }
        assert conditions.evaluate(outcome.when, {"facts": facts}).holds == handed_over
