"""No page shows words that can't be translated."""

import pytest
from jinja2 import nodes

from app.config import PROJECT_ROOT
from app.web.templating import templates
from tests.words.literals import TRANSLATES, untranslated

FOLDER = PROJECT_ROOT / "templates"
NAMES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.html"))

# Not converted yet. This list only ever gets shorter: a new template is translatable from its first day.
NOT_YET: set[str] = set()


@pytest.mark.parametrize("name", NAMES)
def test_every_word_of_a_template_can_be_translated(name: str) -> None:
    found = untranslated((FOLDER / name).read_text())
    if name in NOT_YET:
        assert found, f"{name} is converted: take it off the list"
    else:
        assert found == [], 'write these as {{ _("…") }} or {% trans %}…{% endtrans %}'


def test_the_list_names_templates_that_exist() -> None:
    assert set(NAMES) >= NOT_YET


def test_an_imported_file_makes_no_words_when_it_is_loaded() -> None:
    """Jinja runs an imported file's top once and keeps what it set: in the language of whoever came first."""
    trees = {name: templates.env.parse((FOLDER / name).read_text()) for name in NAMES}
    imported = {
        node.template.as_const()
        for tree in trees.values()
        for node in tree.find_all((nodes.Import, nodes.FromImport))
        if not node.with_context
    }
    assert "forms/_fields.html" in imported
    for name in imported:
        for node in trees[name].body:
            calls = [] if isinstance(node, nodes.Macro) else node.find_all(nodes.Call)
            assert not [c for c in calls if isinstance(c.node, nodes.Name) and c.node.name in TRANSLATES], name


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("<p>Hello</p>", ["Hello"]),
        ('<p title="Hello">{{ _("Hello") }}</p>', ["Hello"]),
        ('<p>{{ "one" if few else "many" }}</p>', ["one many"]),
        ('<p class="{{ "one" if few else "many" }}">{{ ngettext("one", "many", few) }}</p>', []),
        ('{{ input(form, "name", "Your name") }}', ["Your name"]),
        ('{{ input(form, "name", _("Your name"), hint="Shown") }}', ["Shown"]),
        ("{% trans name=name %}Hello {{ name }}{% endtrans %}", []),
        ('<a href="/x"{% if on %} aria-current="page"{% endif %}>{{ title }}</a> · <code>make run</code>', []),
        ('{% block more %} class="narrow" aria-label="Hello"{% endblock %}', ["Hello"]),
        ('{{ "not_run"|verdict_in_words }} {{ "not_run"|upper }}', ["not_run"]),
        ("/studies/{{ slug }}?page={{ page }}", []),
        ('<a translate="no"><b>Acme</b></a> <b>Acme</b>', ["Acme"]),
    ],
)
def test_the_lint_finds_what_it_looks_for(source: str, found: list[str]) -> None:
    assert untranslated(source) == found
