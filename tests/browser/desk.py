"""The designer's desk as a designer uses it."""

from playwright.sync_api import Locator, Page, expect

TEMPLATES = {
    "en": "{{ output.count | number }} invoices match.\n\n"
    "{% for item in output.invoices limit: 5 %}- {{ item.invoice }}: "
    "{{ item.balance | money: item.currency }}\n{% endfor %}",
    "fr": "{{ output.count | number }} factures correspondent.\n\n"
    "{% for item in output.invoices limit: 5 %}- {{ item.invoice }} : "
    "{{ item.balance | money: item.currency }}\n{% endfor %}",
}
STATES = (
    ("unpaid", "unpaid", "impayées", "unpaid\nopen", "impayées\nouvertes"),
    ("overdue", "overdue", "en retard", "overdue\nlate", "en retard"),
)


class Desk:
    """One page of the administration. Every wait is for something to be seen."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.on("dialog", lambda dialog: dialog.accept())

    def sign_in(self, person: str) -> "Desk":
        self.page.goto("/")
        self.page.locator("input[type=email]").fill(f"{person}@example.com")
        self.page.locator("input[type=password]").fill("mandate-demo-2026")
        self.page.locator("input[type=password]").press("Enter")
        self.page.wait_for_selector("#composer-text")
        return self

    def open(self) -> "Desk":
        self.page.goto("/admin/activities/agent/")
        return self

    def link(self, name: str, *, exact: bool = True) -> None:
        self.page.get_by_role("link", name=name, exact=exact).first.click()

    def button(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def tab(self, name: str) -> None:
        self.page.locator(".desk-tabs").get_by_role("link", name=name, exact=True).click()
        expect(self.page.locator(".desk-tabs [aria-current]")).to_have_text(name)

    def fill(self, **values: str) -> None:
        for name, value in values.items():
            self.page.locator(f"[name='{name}']").fill(value)

    def saved(self) -> None:
        self.button("Save")
        expect(self.page.get_by_text("Saved.", exact=True)).to_be_visible()

    def add(self, text: str, within: Locator | None = None) -> Locator:
        """Add a row and return it."""
        root = within or self.page.locator("body")
        root.get_by_role("button", name=text, exact=True).click()
        return root.locator(f"[data-rows]:has(> [data-add]:text-is('{text}')) > [data-list] > *").last

    def new_agent(self, name: str, key: str) -> None:
        self.open()
        self.link("New agent")
        self.fill(name_en=name, name_fr=name, key=key)
        self.button("Create")
        self.button("New empty draft")

    def new_activity(self, name: str, french: str, key: str) -> None:
        self.fill(name_en=name, name_fr=french, key=key)
        self.button("Add")
        expect(self.page.locator(".desk-tabs [aria-current]")).to_have_text("Card")

    def card(self) -> None:
        self.fill(
            summary_en="Lists invoices by customer and state, with what is still due.",
            summary_fr="Liste les factures par client et par état, avec le reste dû.",
            aliases_en="find invoices\nshow invoices\nlist bills",
            aliases_fr="trouver des factures\nafficher les factures",
            when_not_to_use="To pay or to change an invoice.",
            examples_en="Show me the unpaid invoices of Kestrel Robotics.\nWhich invoices are overdue?",
            examples_fr="Montre-moi les factures impayées de la Librairie l'Étoile.",
            instructions="List what matches. Never compute a figure yourself.",
        )
        self.saved()

    def inputs(self) -> None:
        self.tab("Inputs")
        row = self.add("Add an input")
        self.field(row, "name").fill("customer")
        self.field(row, "type").select_option("reference")
        self.field(row, "reference").select_option("billing.customer")
        self._input(row, "Customer", "Client", "of\nfrom", "de\ndu")
        row = self.add("Add an input")
        self.field(row, "name").fill("status")
        self.field(row, "type").select_option("choice")
        self._input(row, "State", "État", "", "")
        for value, english, french, words, mots in STATES:
            choice = self.add("Add a choice", row)
            self.field(choice, "value").fill(value)
            self.field(choice, "label_en").fill(english)
            self.field(choice, "label_fr").fill(french)
            self.field(choice, "words_en").fill(words)
            self.field(choice, "words_fr").fill(mots)
        self.saved()

    def _input(self, row: Locator, english: str, french: str, cues: str, signes: str) -> None:
        self.field(row, "label_en").first.fill(english)
        self.field(row, "label_fr").first.fill(french)
        row.get_by_label("Required", exact=True).uncheck()
        row.get_by_text("For the model: description, cues, protection").click()
        self.field(row, "description").fill(f"Only invoices of this {english.lower()}.")
        self.field(row, "cues_en").fill(cues)
        self.field(row, "cues_fr").fill(signes)

    def field(self, row: Locator, name: str) -> Locator:
        return row.locator(f"[name$='-{name}']")

    def tools(self) -> None:
        self.tab("Tools")
        self.page.get_by_label("Filter by name or key").fill("list_invoices")
        self.page.locator(".desk-offer", has_text="billing.list_invoices").click()
        self.button("Add the chosen tools")
        self.link("List invoices")
        self.page.locator("[name='param-customer-source']").select_option("input")
        self.page.locator("[name='param-customer-input']").select_option("customer")
        self.page.locator("[name='param-status-source']").select_option("input")
        self.page.locator("[name='param-status-input']").select_option("status")
        self.saved()

    def steps(self) -> None:
        self.tab("Steps")
        self.link("Add a step")
        self.fill(name_en="List the invoices", name_fr="Lister les factures", key="list")
        self.fill(goal="List the invoices that match.")
        self.page.get_by_label("List invoices").check()
        condition = self.page.locator("[name='passes_when']")
        condition.fill("")
        self.page.get_by_role("button", name="facts.list_invoices.count", exact=True).click()
        expect(condition).to_have_value("facts.list_invoices.count")
        condition.fill("has(facts.list_invoices) && facts.list_invoices.count > 0")
        self.fill(
            stops_when="has(facts.list_invoices) && facts.list_invoices.count == 0",
            stop_message_en="No invoice matches.",
            stop_message_fr="Aucune facture ne correspond.",
        )
        self.saved()

    def answer(self) -> None:
        self.tab("Answer")
        for name, english, french in (("count", "Number", "Nombre"), ("invoices", "Invoices", "Factures")):
            row = self.add("Add an output field")
            self.field(row, "name").fill(name)
            self.field(row, "label_en").fill(english)
            self.field(row, "label_fr").fill(french)
            self.field(row, "source").select_option("fact")
            self.field(row, "fact").select_option(f"facts.list_invoices.{name}")
        self.saved()
        self.fill(template_en=TEMPLATES["en"], template_fr=TEMPLATES["fr"])
        expect(self.page.locator("#preview")).to_contain_text("invoices match.")
        self.saved()

    def give(self, group: str) -> None:
        self.link("Rights")
        self.page.locator("[name='to']").select_option(label=group)
        self.page.locator("[name='right']").select_option(label="use — the whole agent")
        self.button("Give")
        expect(self.page.get_by_text("The rights are changed.")).to_be_visible()

    def try_out(self, prompt: str, person: str) -> None:
        self.tab("Try")
        self.fill(prompt=prompt)
        chosen = self.page.locator("[name='as_user'] option", has_text=person).get_attribute("value")
        self.page.locator("[name='as_user']").select_option(chosen)
        self.button("Try")
        self.page.wait_for_selector("#trial[data-outcome]:not([data-outcome=''])")
