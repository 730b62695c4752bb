from dualres.bench.campaign.studies import jobs, study
from dualres.bench.datasets import catalog
from tools.pages.datasets import downloaded, study_of


def test_a_download_ends_with_a_study_that_uses_it():
    for release in map(catalog.release, catalog.names()):
        lines = list(downloaded(release))
        if release.generate:
            assert not lines
            continue
        assert any(release.link in line for line in lines)
        assert any(job.dataset == release.name for job in jobs(study(study_of(release)), [release.name]))
