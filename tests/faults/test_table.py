"""docs/faults.md says the truth: each fault has the tests that it names, or a reason why it has none."""

from tests.faults.table import ALL, marked, told


def test_the_page_has_a_row_for_each_fault_and_names_the_tests_that_there_are() -> None:
    rows, (files, _) = told(), marked()
    assert list(rows) == ALL
    assert set(files) <= set(ALL), "a marker names a fault that there is not"
    wrong = {
        number: f"write: {', '.join(f'`{each}`' for each in sorted(files.get(number, ())))}"
        for number, (_, named) in rows.items()
        if named != files.get(number, set())
    }
    assert wrong == {}


def test_what_has_no_test_has_a_reason() -> None:
    reasons = {number: where for number, (where, files) in told().items() if not files}
    assert set(reasons) == {"F15", "F37"}
    assert all(len(reason) > 40 for reason in reasons.values())


def test_most_faults_are_met_by_every_run_of_the_tests() -> None:
    assert len(marked()[1]) >= 35
