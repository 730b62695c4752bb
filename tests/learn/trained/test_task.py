from dualres.learn.trained.task import Step, steps_told


def test_updates_of_several_fits_count_on():
    told = []
    tell = steps_told(lambda *x: told.append(x), "Learn", fits=2)
    for update in (1, 2, 1, 2):
        tell(Step(update, 0.5, 1e-3), 2)
    assert told == [("Learn", i, 4, "loss 0.500") for i in (1, 2, 3, 4)]
