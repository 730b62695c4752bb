import pickle

from dualres.learn.trained.task import Step, Task, UpdateRemark, by_step, in_turn


def test_an_update_is_told_in_words_and_can_be_recorded_whole():
    step, steps = Step(2, 0.51239, 1e-3), []
    remark = pickle.loads(pickle.dumps(UpdateRemark.of(step)))
    assert (remark, remark.step) == ("loss 0.512", step)
    tell = by_step(lambda *told: steps.append(told))
    tell("Updates", 2, 5, remark)
    tell("Cut the labelled windows", 1, 3, "")
    assert steps == [(step, 5)]


def test_updates_of_fits_that_follow_each_other_count_on():
    told = []
    for task in in_turn([Task(None, None, 2, seed, progress=lambda *x: told.append(x)) for seed in (1, 2)]):
        for update in (1, 2):
            task.progress("Updates", update, 2, "loss 0.500")
    assert told == [("Updates", i, 4, "loss 0.500") for i in (1, 2, 3, 4)]
