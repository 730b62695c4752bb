import json
import lzma

import pytest

from dualres.bench.campaign.exchange.export import export
from dualres.bench.campaign.exchange.read_export import check_export, load_export
from dualres.bench.campaign.ledger import LedgerError
from dualres.bench.campaign.studies import study
from dualres.bench.report.results import Results
from dualres.bench.report.tables import study_tables
from dualres.bench.report.tables.write import as_csv
from dualres.bench.verify.ledger import verify
from dualres.utils.checksums import listed, write_sums
from tests.bench.campaign.synthetic import synthetic_ledger
from tests.bench.profile.synthetic import keep_all


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    path = tmp_path_factory.mktemp("ledger") / "ledger.sqlite"
    keep_all(path.parent / "profile", methods=["dualres", "dualres/short"])
    with synthetic_ledger(path, ["pilot"], datasets=["simulated", "phm2009"]) as ledger:
        yield ledger


@pytest.fixture
def exported(ledger, tmp_path):
    export(ledger, tmp_path / "results")
    return tmp_path / "results"


def rewrite(exported, name, edit):
    """Change a file, and its hash as well."""
    path = exported / name
    path.write_text(edit(path.read_text()))
    write_sums(exported, listed(exported))


def test_the_ledger_read_back_is_the_one_written(ledger, exported, tmp_path):
    told = []
    path = tmp_path / "again" / "ledger.sqlite"
    with load_export(exported, path, lambda _, done, total, __: told.append((done, total))) as again:
        assert again.jobs() == ledger.jobs()
        for key in ledger.keys():  # noqa: SIM118 - not a mapping
            assert again.outcome(key) == ledger.outcome(key)
        tables = [as_csv(study_tables(Results(each, study("pilot")))) for each in (ledger, again)]
        assert tables[0] == tables[1]
        assert verify(again) == verify(ledger) == []
        export(again, tmp_path / "twice")
    assert told[-1] == (8, 8)
    assert (tmp_path / "twice" / "SHA256SUMS").read_bytes() == (exported / "SHA256SUMS").read_bytes()
    names = [
        sorted(each.name for each in (folder / "profile").iterdir()) for folder in (ledger.path.parent, path.parent)
    ]
    assert names[0] == names[1]


@pytest.mark.parametrize(
    "name", ["jobs.jsonl", "losses.jsonl.xz", "supports.jsonl", "export.json", "profile/simulated-dualres-cuda-4.json"]
)
def test_a_changed_file_and_one_that_is_not_listed_are_refused(exported, tmp_path, name):
    assert check_export(exported) == []
    path = exported / name
    content = path.read_bytes()
    path.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
    with pytest.raises(LedgerError, match=f"{name}: was changed"):
        load_export(exported, tmp_path / "again.sqlite")
    write_sums(exported, listed(exported).keys() - {name})
    assert check_export(exported) == [f"{path}: is not listed in SHA256SUMS"]


def test_another_layout_is_named(exported, tmp_path):
    rewrite(exported, "export.json", lambda _: '{"format":"dualres-export/9"}')
    with pytest.raises(LedgerError, match="format 'dualres-export/9', and this version reads 'dualres-export/3'"):
        load_export(exported, tmp_path / "again.sqlite")
    rewrite(exported, "export.json", lambda _: "[]")
    with pytest.raises(LedgerError, match=r"export\.json: cannot be read"):
        load_export(exported, tmp_path / "again.sqlite")
    (exported / "export.json").write_text('{"format":"dualres-export/10"}')
    write_sums(exported, listed(exported))
    with pytest.raises(LedgerError, match=r"format 'dualres-export/10'.*update DualRes"):
        load_export(exported, tmp_path / "again.sqlite")
    (exported / "export.json").unlink()
    write_sums(exported, listed(exported).keys() - {"export.json"})
    with pytest.raises(LedgerError, match="format 'dualres-export/1'"):
        load_export(exported, tmp_path / "again.sqlite")


@pytest.mark.parametrize(
    ("name", "edit", "sentence"),
    [
        ("jobs.jsonl", lambda text: text.replace('"seed":41', '"seed":42', 1), "a plan with another hash"),
        ("jobs.jsonl", lambda text: text.replace("dualres-job/1", "dualres-job/0", 1), "a plan in format"),
        ("jobs.jsonl", lambda text: text[:-2], "cannot be read"),
        ("judged.jsonl", lambda text: text.split("\n", 1)[1], "cannot be read .there is no"),
        ("signals.tsv", lambda text: text.replace("\t", " "), "cannot be read"),
        ("machines.jsonl", lambda _: json.dumps([]), "cannot be read"),
    ],
)
def test_an_export_that_was_changed_with_its_hashes_is_refused_in_a_sentence(exported, tmp_path, name, edit, sentence):
    rewrite(exported, name, edit)
    with pytest.raises(LedgerError, match=f"jobs.jsonl: .*{sentence}"):
        load_export(exported, tmp_path / "again.sqlite")


def test_an_export_of_the_version_before_is_read(ledger, exported, tmp_path):
    """It had no file of losses: each job's stood in its line."""
    losses = map(json.loads, lzma.decompress((exported / "losses.jsonl.xz").read_bytes()).splitlines())
    lines = [json.loads(line) for line in (exported / "jobs.jsonl").read_text().splitlines()]
    before = [line | {"losses": next(losses) if line["plan"]["recipe"] else []} for line in lines]
    (exported / "jobs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in before))
    (exported / "export.json").write_text('{"format":"dualres-export/2"}\n')
    (exported / "losses.jsonl.xz").unlink()
    write_sums(exported, listed(exported).keys() - {"losses.jsonl.xz"})
    with load_export(exported, tmp_path / "again.sqlite") as again:
        for key in ledger.keys():  # noqa: SIM118 - not a mapping
            assert again.outcome(key) == ledger.outcome(key)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (lzma.compress(bytes(10**8)), "unpacks to more than the 2,400 losses"),
        (lzma.compress(b"[0.5]\n"), "it holds losses of 1 jobs"),
        (b"nothing packed", "cannot be read"),
        (lzma.compress(b"[0.5]\n" * 8)[:-9], "cannot be read"),
        (lzma.compress(b"nonsense\n" * 8), "cannot be read"),
        (lzma.compress(b"[null]\n" * 8), "cannot be read"),
    ],
    ids=["bomb", "too few", "not packed", "cut", "no JSON", "no numbers"],
)
def test_losses_that_are_none_of_its_jobs_are_refused(exported, tmp_path, content, sentence):
    (exported / "losses.jsonl.xz").write_bytes(content)
    write_sums(exported, listed(exported))
    with pytest.raises(LedgerError, match=sentence):
        load_export(exported, tmp_path / "again.sqlite")


@pytest.mark.parametrize("field", ["truth", "windows"])
def test_a_number_that_no_ledger_can_hold_is_refused(exported, tmp_path, field):
    def enlarged(text):
        first, *others = map(json.loads, text.splitlines())
        first[field][0] = 2**70
        return "".join(json.dumps(line) + "\n" for line in (first, *others))

    rewrite(exported, "judged.jsonl", enlarged)
    with pytest.raises(LedgerError, match=r"jobs.jsonl: cannot be read .* too large"):
        load_export(exported, tmp_path / "again.sqlite")


def test_an_existing_ledger_is_not_written_to(exported, ledger):
    with pytest.raises(LedgerError, match="exists already"):
        load_export(exported, ledger.path)


def test_a_part_that_is_no_file_and_in_no_list_is_not_read(exported, tmp_path):
    (exported / "judged.jsonl").unlink()
    (exported / "judged.jsonl").symlink_to("/dev/zero")  # which never ends
    write_sums(exported, listed(exported).keys() - {"judged.jsonl"})
    with pytest.raises(LedgerError, match=r"judged\.jsonl: is not listed in SHA256SUMS"):
        load_export(exported, tmp_path / "again.sqlite")
