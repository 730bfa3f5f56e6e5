"""Collect the words that people are shown into the catalogues: `make words`.

A message that is new there is empty until somebody translates it; one that no source holds any more is gone.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import write_po

from app.words import ENGLISH, LANGUAGES, catalogue, catalogue_path

ROOT = Path(__file__).resolve().parent.parent
# Where words are, who reads them, what marks them.
SOURCES = (
    ("app", "python", DEFAULT_KEYWORDS),
    ("templates", "jinja2", DEFAULT_KEYWORDS),
    ("static/js", "javascript", {"t": None, "tn": (1, 2)}),
)
# As app/web/templating.py sets Jinja up; a template that can't be read is an error, not skipped.
OPTIONS = {
    "trimmed": "true",
    "newstyle_gettext": "true",
    "trim_blocks": "true",
    "lstrip_blocks": "true",
    "silent": "false",
}
# Our own, since Babel's carries dates and versions, over which two branches would always disagree.
HEADER = """\
# CodeJury in {name}.
msgid ""
msgstr ""
"Project-Id-Version: CodeJury\\n"
"Language: {code}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural_forms}\\n"

"""


def collected() -> Catalog:
    """Every message of the sources, with the files that hold it."""
    found = Catalog(fuzzy=False)
    for folder, method, keywords in SOURCES:
        pattern, options = [("**.*", method)], {"**.*": OPTIONS}
        for name, line, message, comments, context in extract_from_dir(
            ROOT / folder, pattern, options, keywords, ["Translators:"], strip_comment_tags=True
        ):
            place = (f"{folder}/{Path(name).as_posix()}", line)
            found.add(message, None, [place], auto_comments=comments, context=context)
    return found


def updated(code: str) -> Catalog:
    """A language's catalogue, brought up to the sources."""
    found = catalogue(code)
    found.update(collected(), no_fuzzy_matching=True, update_creation_date=False)
    return found


def written(found: Catalog) -> bytes:
    """The catalogue as its file holds it."""
    language = LANGUAGES[str(found.locale)]
    head = HEADER.format(name=language.name, code=language.code, plural_forms=found.plural_forms)
    body = BytesIO()
    write_po(body, found, width=0, omit_header=True, sort_by_file=True, ignore_obsolete=True, include_lineno=False)
    return head.encode() + body.getvalue()


def untranslated(found: Catalog) -> Iterator[str]:
    """What nobody has translated yet, or not for sure."""
    for message in found:
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.id and (message.fuzzy or not all(forms)):
            yield str(message.id)


def main() -> None:
    """Write every catalogue anew and say what is left to translate."""
    for code in sorted(LANGUAGES.keys() - {ENGLISH.code}):
        found = updated(code)
        catalogue_path(code).write_bytes(written(found))
        left = list(untranslated(found))
        print(f"{code}: {len(found)} messages, {len(left)} to translate", *left, sep="\n  ")


if __name__ == "__main__":
    main()
