"""Read a form as a browser would send it."""

from html.parser import HTMLParser


class Fields(HTMLParser):
    """The values of one form's fields."""

    def __init__(self, form_id: str = "edit-form") -> None:
        super().__init__()
        self.form_id = form_id
        self.values: dict[str, str] = {}
        self.inside = False
        self.textarea = self.select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = given.get("id") == self.form_id
        if not self.inside or tag not in ("input", "textarea", "select", "option"):
            return
        if tag == "textarea":
            self.textarea = given["name"]
            self.values[self.textarea] = ""
        elif tag == "select":
            self.select = given["name"]
        elif tag == "option":
            if "selected" in given or self.select not in self.values:
                self.values[self.select] = given["value"]
        elif given.get("type") != "checkbox" or "checked" in given:
            self.values[given["name"]] = given.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False
        if tag == "textarea" and self.textarea:
            self.values[self.textarea] = self.values[self.textarea].removeprefix("\n")
            self.textarea = ""

    def handle_data(self, data: str) -> None:
        if self.textarea:
            self.values[self.textarea] += data


def fields_of(page: str) -> dict[str, str]:
    """What the editor's form would send."""
    reader = Fields()
    reader.feed(page)
    return reader.values
