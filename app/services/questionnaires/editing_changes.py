"""What an edit changed, from what to what, for the audit trail."""

from collections.abc import Mapping
from typing import Any

Change = dict[str, Any]  # before, after


def changes_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Change]:
    """Each difference of two contents of an instrument by its name: "title", "text of helpfulness"."""
    old, new = ({each["name"]: each for each in content["questions"]} for content in (before, after))
    changes = {
        name: change(before[name], after[name])
        for name in before
        if name != "questions" and before[name] != after[name]
    }
    for name in [*old, *(each for each in new if each not in old)]:
        if name not in old or name not in new:
            changes[f"question {name}"] = change(
                *(each[name]["text"] if name in each else None for each in (old, new))
            )
            continue
        for part, value in old[name].items():
            if new[name][part] != value:
                changes[f"{part} of {name}"] = change(value, new[name][part])
    kept = [[name for name in each if name in old and name in new] for each in (old, new)]
    return changes | ({} if kept[0] == kept[1] else {"order of questions": change(list(old), list(new))})


def change(before: Any, after: Any) -> Change:
    """From what to what."""
    return {"before": before, "after": after}
