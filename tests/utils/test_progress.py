from dualres.utils.progress import quiet, renamed


def test_a_stage_can_be_told_under_another_name():
    told = []
    renamed(lambda *news: told.append(news), "Round 2")("Audit", 1, 3, "a.wav")
    assert told == [("Round 2", 1, 3, "a.wav")]
    renamed(quiet, "Round 2")("Audit", 1, 3, "")  # nobody need listen
