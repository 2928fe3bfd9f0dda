"""A page's form as a browser would post it."""

from html.parser import HTMLParser


class _Forms(HTMLParser):
    """Collects the fields of the form with id `desk-form`; templates are no part of it."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, list[str]] = {}
        self.inside = self.templates = 0
        self.area = self.select = ""
        self.text = ""
        self.options: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and given.get("id") == "desk-form":
            self.inside = 1
        if tag == "template":
            self.templates += 1
        if not self.inside or self.templates or "disabled" in given:
            return
        if tag == "input":
            self._input(given)
        elif tag == "textarea":
            self.area, self.text = given["name"], ""
        elif tag == "select":
            self.select, self.options = given["name"], []
        elif tag == "option" and self.select:
            self.options.append((given.get("value", ""), "selected" in given))

    def _input(self, given: dict[str, str]) -> None:
        if given.get("type") in ("checkbox", "radio") and "checked" not in given:
            return
        default = "on" if given.get("type") == "checkbox" else ""
        self.values.setdefault(given["name"], []).append(given.get("value", default))

    def handle_data(self, data: str) -> None:
        if self.area:
            self.text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = 0
        elif tag == "template":
            self.templates -= 1
        elif tag == "textarea" and self.area:
            # The first line end after the tag is none of the text.
            self.values[self.area] = [self.text.removeprefix("\n")]
            self.area = ""
        elif tag == "select" and self.select:
            chosen = [value for value, selected in self.options if selected]
            self.values[self.select] = chosen or [value for value, _selected in self.options[:1]]
            self.select = ""


def form_of(page: str) -> dict[str, list[str]]:
    """Return what saving a draft's page unchanged would post; rows are numbered as the page's script does."""
    found = fields_of(page)
    assert "version" in found
    return {
        name: [name.split("-")[-2]] if name.endswith("-ORDER") else values for name, values in found.items()
    }


def fields_of(page: str) -> dict[str, list[str]]:
    """Return the fields of the page's form with their values."""
    found = _Forms()
    found.feed(page)
    return found.values
