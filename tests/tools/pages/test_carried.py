import json

from tools.pages.carried import Carried


def test_a_row_tells_what_is_worth_what(tmp_path):
    scores = {"reset": 50.04, "carried": 51.06}
    kinds = dict.fromkeys(("window", "block", "recording"), scores)
    one = {"seconds": 9.7, "windows": 1234, **kinds, "changed": 0.0021, "left": 0.034}
    one |= {"moved": {"mean": 0.00123, "most": 0.456}, "half_life_ms": {"median": 4.4, "longest": 125.6}}
    (tmp_path / "measured").mkdir()
    found = {"seeds": [41], "rigs": {"A": one, "B": {**one, "left": 0.01}}, "mean": kinds}
    (tmp_path / "measured" / "carried_memory.json").write_text(json.dumps(found))
    carried = Carried(tmp_path)
    row = (
        "| A | 10 s | 50.0 → 51.1 | 50.0 → 51.1 | 50.0 → 51.1 | 0.21 % | 0.0012, at most 0.46 | 4 ms, at most 126 ms |"
    )
    assert row in carried.carried_table()
    assert (carried.carried_longest(), carried.carried_left(), carried.carried_windows()) == ("0.13", "3", "2,468")
    assert carried.carried_seeds() == "41"
