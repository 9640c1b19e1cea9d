"""What is made of a result: rows, files, the kept results, two side by side."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import foreign
import pytest

from perflab.cli.console import markup
from perflab.cli.console.form import Command
from perflab.cli.console.kept import Kept, KeptResults, Pair, side_by_side
from perflab.cli.console.markup import rows
from perflab.cli.console.results import FORMATS, export
from perflab.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = Command(
    "measure",
    "kettle",
    (("scenario", "boil"), ("variant", "steel"), ("variant", "copper"), ("baseline", "steel")),
)


def comparison(candidate: str = "copper", estimate: float = 2.0, **more: object) -> dict[str, Any]:
    found = {"candidate": candidate, "baseline": "steel", "metric": "time", "unit": "ns", "better": "lower"}
    ends = {"estimate": estimate, "low": estimate * 0.95, "high": estimate * 1.05, "confidence": 0.95}
    sizes = {"cliffs_delta": 1.0, "effect": "large", "minimum_detectable_effect": 0.04}
    return {**found, "scale": "ratio", "rounds": 8, **ends, **sizes, "verdict": "faster", "flags": [], **more}


def measured(*comparisons: dict[str, Any], machine: str = "here") -> dict[str, Any]:
    return {
        "run": "run-1",
        "scenario": "boil",
        "params": {},
        "comparisons": list(comparisons),
        "machine": {"id": machine, "title": machine},
    }


def kept(name: str, result: dict[str, Any]) -> Kept:
    return Kept(name, COMMAND, result, "2026-11-22T00:00:00+00:00")


def test_a_measurement_has_a_row_for_each_candidate() -> None:
    first, second = (row.comparison for row in rows(measured(comparison(), comparison("glass", 1.2))))
    assert (first.columns, first.detectable, first.rounds) == (["2.00x", "[1.90, 2.10]"], "4.0 %", 8)
    assert second.candidate == "glass"


def test_a_sweep_has_a_row_for_each_candidate_at_each_point() -> None:
    points = [{"params": {"level": n}, "run": f"r{n}", "comparisons": [comparison()]} for n in (1, 2)]
    assert [(row.setting, row.run) for row in rows({"points": points})] == [("level=1", "r1"), ("level=2", "r2")]


def test_of_a_search_only_what_was_confirmed_is_a_figure() -> None:
    trial = {"number": 1, "params": {"level": 9}, "run": "t", "comparison": comparison("level=9", 3.0)}
    assert rows({"trials": [trial], "confirmed": None}) == []
    confirmed = {"run": "again", "settings": {}, "comparisons": [comparison("level=9", 1.4)]}
    (row,) = rows({"trials": [trial], "confirmed": confirmed})
    assert row.run == "again"
    assert row.comparison.estimate is not None
    assert row.comparison.estimate.value == 1.4


def test_where_there_is_no_interval_none_is_shown() -> None:
    row = rows(measured(comparison(low=None, high=None, minimum_detectable_effect=None)))[0].comparison
    assert (row.columns, row.detectable) == (["2.00x", "(no interval)"], "unknown")


def test_a_difference_is_shown_in_its_unit() -> None:
    row = rows(measured(comparison(estimate=12.0, scale="difference", minimum_detectable_effect=3.0)))[0].comparison
    assert (row.columns, row.detectable) == (["+12.0 ns", "[+11.4, +12.6] ns"], "3.00 ns")


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_says_what_was_done_or_found(format_: str) -> None:
    text = export(format_, COMMAND, measured(comparison()))
    assert text.endswith("\n")
    assert "copper" in text


def test_csv_is_tidy_and_unrounded() -> None:
    text = export("CSV", COMMAND, measured(comparison(estimate=1 / 3), comparison("glass")))
    found = list(csv.DictReader(io.StringIO(text)))
    assert [row["candidate"] for row in found] == ["copper", "glass"]
    assert float(found[0]["estimate"]) == 1 / 3
    assert text.partition("\n")[0] == (
        "setting,candidate,baseline,estimate,low,high,verdict,detectable,rounds,run,scale,unit"
    )


def test_json_holds_the_command_and_the_whole_result() -> None:
    result = measured(comparison())
    found = json.loads(export("JSON", COMMAND, result))
    assert found == {"command": COMMAND.shell, "result": result}


def test_what_is_kept_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "console" / "kept.json"
    KeptResults(path).keep(" before ", COMMAND, measured(comparison()))
    (one,) = KeptResults(path).all()
    assert (one.name, one.command, one.result) == ("before", COMMAND, measured(comparison()))
    KeptResults(path).drop("before")
    assert KeptResults(path).all() == []


def test_a_name_is_needed_and_never_taken_twice(tmp_path: Path) -> None:
    store = KeptResults(tmp_path / "kept.json")
    store.keep("one", COMMAND, {})
    for name, said in (("one", "already"), ("  ", "needs a name")):
        with pytest.raises(UsageError, match=said):
            store.keep(name, COMMAND, {})
    assert len(store.all()) == 1


def test_a_file_that_cannot_be_read_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_text('[{"name": ')
    assert KeptResults(path).all() == []
    for change in (lambda store: store.keep("one", COMMAND, {}), lambda store: store.drop("one")):
        with pytest.raises(UsageError, match="cannot read what was kept"):
            change(KeptResults(path))
    assert path.read_text() == '[{"name": '  # what is left of it can be mended by hand


def test_two_results_stand_side_by_side_and_are_told_apart_or_not() -> None:
    first = kept("a", measured(comparison(), comparison("glass", 1.2)))
    second = kept("b", measured(comparison(estimate=2.05), comparison("iron", 1.1), comparison("glass", 1.5)))
    found = {pair.label: pair for pair in side_by_side(first, second)}
    assert list(found) == ["copper over steel", "glass over steel", "iron over steel"]
    assert found["copper over steel"].word == "not told apart"
    assert found["glass over steel"].word == "apart"
    assert found["iron over steel"].first is None
    assert found["iron over steel"].word == ""


def test_results_of_two_machines_are_not_compared() -> None:
    with pytest.raises(UsageError, match="different machines"):
        side_by_side(kept("a", measured(comparison())), kept("b", measured(comparison(), machine="there")))


def test_results_of_two_scenarios_are_not_compared() -> None:
    other = {**measured(comparison()), "scenario": "steam"}
    with pytest.raises(UsageError, match="scenario"):
        side_by_side(kept("a", measured(comparison())), kept("b", other))


@pytest.mark.parametrize("name", [foreign.HTML[0], foreign.HTML[3], '"><script>window.ran = 1</script>'])
def test_names_and_notes_of_others_are_text(name: str) -> None:
    made = comparison(name, baseline=name, metric=name, verdict=name)
    found = rows({"points": [{"params": {name: name}, "run": name, "comparisons": [made]}]})
    html = markup.figures(found) + markup.pairs([Pair(name, found[0], None, name)], (name, name))
    html += markup.notes([name]) + markup.problem(name, name) + markup.table([name], [[name]])
    assert foreign.Running(html).found == []
    # The button that copies is ours; the command that it copies is none of its script.
    script, tag = foreign.Running(markup.command(name, name)).found
    assert tag == "button"
    assert "ran" not in script
