"""Forms as their editor holds them: drafts, all of it text, and the content that such a draft means."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from app.services.questionnaires.editing_drafts import Draft, list_in, text_of, texts_in
from app.services.questionnaires.editing_names import free_name, slug
from app.services.questionnaires.form_content import ConsentForm, FieldsForm, Form, FormField

_FIELD = ("name", "label", "kind", "least", "most", "help")


def form_draft(form: Form) -> Draft:
    """The draft that shows a form as it is stored."""
    if isinstance(form, ConsentForm):
        return form.model_dump()
    return {"intro": form.intro, "fields": [_field_draft(each) for each in form.fields]}


def blank_field(kind: str) -> Draft:
    """A new question of that kind."""
    scale = {"least": "1", "most": "5"} if kind == "scale" else {}
    return {"kind": kind, "required": "yes", **scale}


def shaped_form(draft: Mapping[str, Any]) -> Draft:
    """As much of what was sent as has the shape of a form."""
    return texts_in(draft) | {"fields": [texts_in(each) for each in list_in(draft, "fields")]}


def form_content(kind: str, draft: Mapping[str, Any]) -> dict[str, Any]:
    """The content that the draft means; what is wrong with it, ``parse_form`` says at the same places."""
    if kind == "consent":
        return {name: draft[name] for name in ConsentForm.model_fields if draft.get(name)} | {
            "text": draft.get("text", "")
        }
    drafts = list_in(draft, "fields")
    taken = {each["name"] for each in drafts if each.get("name")}
    fields = []
    for each in drafts:
        field = {name: each[name] for name in _FIELD if each.get(name)}
        field["label"] = each.get("label", "")
        field["options"] = [line.strip() for line in str(each.get("options", "")).splitlines() if line.strip()]
        field["required"] = bool(each.get("required"))
        field.setdefault("name", free_name(slug(str(field["label"])), taken))
        taken.add(field["name"])
        fields.append(field)
    return {"intro": draft.get("intro", ""), "fields": fields}


def shown_form(kind: str, draft: Mapping[str, Any]) -> tuple[Form | None, int]:
    """As much of the form as is right, for a preview, and how many of its questions are not yet."""
    content = form_content(kind, draft)
    if kind == "consent":
        return (ConsentForm.model_validate(content), 0) if content["text"] else (None, 0)
    fields = []
    for each in content["fields"]:
        try:
            fields.append(FormField.model_validate(each))
        except ValidationError:
            continue
    form = FieldsForm.model_construct(intro=content["intro"], fields=fields)
    return form, len(content["fields"]) - len(fields)


def _field_draft(field: FormField) -> Draft:
    return {
        **{name: text_of(getattr(field, name)) for name in _FIELD},
        "options": "\n".join(field.options),
        **({"required": "yes"} if field.required else {}),
    }
