"""A study from outside: two methods on the toy dataset, from one window per class and recording."""

from dualres.bench.campaign.studies import Budget, Study, StudyPart, register_study

register_study(
    Study(
        "toy",
        "Can a hum be told from a buzz?",
        (StudyPart(datasets=("toy",), methods=("toy", "dualres"), budgets=(Budget(2, 1),), updates=(20,)),),
        dataset_tables=("toy_named_right",),
    )
)
