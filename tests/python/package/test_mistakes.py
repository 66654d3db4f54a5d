"""Mistakes of users are reported in one line that names the argument or the column."""

import io
import os
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest

import idealparent as ip


@pytest.fixture(scope="module")
def frame(chain):
    names, values = chain
    return pd.DataFrame(values, columns=names)


@pytest.fixture(scope="module")
def net(frame):
    return ip.learn(frame)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seed": 2**64}, "seed must be at most"),
        ({"seed": -1}, "seed must be at least 0, not -1$"),
        ({"threads": -1}, "threads must be at least 1, not -1$"),
        ({"threads": 0}, "threads must be at least 1, not 0$"),
        ({"threads": "2"}, "threads: "),
        ({"time_limit": "x"}, "time_limit: "),
        ({"time_limit": -5}, "time_limit: "),
        ({"time_limit": float("nan")}, "time_limit: "),
        ({"checkpoint_every": "x"}, "checkpoint_every: "),
        ({"gamma": b"1"}, "gamma: "),
        ({"gamma": [1]}, "gamma: "),
        ({"gamma": -1}, "gamma= must be"),
        ({"bias": True}, "^bias=True needs cpd='sigmoid'$"),
        ({"two_layer": True}, "^two_layer=True needs hidden='auto' or a number$"),
        ({"min_children": 2}, "^min_children= needs hidden='auto' or a number$"),
        ({"perturb": 3, "search": "hill"}, "^perturb= needs restarts=1 or more$"),
        ({"hidden": 1, "score": "bge"}, "^hidden= cannot be combined with score='bge', which needs complete data$"),
        ({"missing": "exact", "cpd": "sigmoid"}, r"^missing='exact' needs cpd='linear' \(for sigmoid densities use missing='mean-field'\)$"),
        ({"cpd": []}, r"^cpd: no value is given \(choose from linear, sigmoid, product\)$"),
        ({"moves": ""}, r"^moves: no value is given \(choose from add, delete, reverse, replace\)$"),
        ({"candidates": 0}, "^candidates: '0' is not a whole number above 0, 'all' or 'auto'$"),
        ({"variables": ["A", "Q"]}, "^variables: the data have no column 'Q'$"),
        ({"start": [("A", "W"), ("X", "B")]}, "^the start network has 2 variables that are not in the data: 'W', 'X'$"),
        ({"start": [("a", "B")]}, r"^the start network has a variable 'a' that is not in the data \(did you mean 'A'\?\)$"),
        ({"checkpoint": True}, "checkpoint: "),
        ({"checkpoint": 0}, "checkpoint: "),
        ({"require": 5}, "require: "),
        ({"require": [1]}, "require: "),
        ({"tiers": "no such file"}, "no such file"),
        ({"drop": None}, "drop: "),
        ({"drop": "AB"}, "drop: "),
        ({"names": ["A"]}, "names can only be given for arrays"),
        ({"delimiter": ","}, "only be given for files"),
        ({"profiles": "p.tsv"}, "profiles needs hidden"),
        ({"trace": "no/such/folder/t.jsonl"}, "trace: there is no folder"),
        ({"trace": os.curdir}, "trace: . is a folder"),
        ({"trace": ""}, "trace: the file name is empty"),
        ({"transpose": "no"}, "^transpose: 'no' is neither True nor False$"),
        ({"row_names": "no"}, "^row_names: 'no' is neither True nor False$"),
        ({"resume": "no"}, "^resume: 'no' is neither True nor False$"),
        ({"progress": "no"}, "^progress: 'no' is neither True nor False$"),
        ({"delimiter": 5}, "^delimiter: 5 is not text$"),
        ({"gamma": True}, "^gamma: True is not a number$"),
        ({"max_parents": np.True_}, "^max_parents: True is not a number$"),
        ({"callback": 5}, "^callback: 5 is not a function$"),
        ({"variables": []}, "^variables: no names are listed$"),
        ({"instances": [0, 1]}, r"no row names \(select the rows yourself: data\.iloc\[\.\.\.\]\)$"),
        ({"require": {}}, "^require: {} is not a list of edges$"),
        ({"require": pd.DataFrame({"a": ["A"], "b": ["B"]})}, "^require: the frame needs the columns from and to$"),
        ({"require": "Raf->Mek"}, r"require: .*\(edges are a list: \[\('Raf', 'Mek'\)\]\)$"),
        ({"thread": 2}, "did you mean 'threads'"),
        ({"timelimit": 2}, "did you mean 'time_limit'"),
        ({"output": "n.json"}, r"\(save the result with net\.save\(path\)\)$"),
    ],
)
def test_invalid_options_are_named(frame, options, said):
    with pytest.raises((ValueError, TypeError), match=said):
        ip.learn(frame, **options)


def test_numpy_scalars_are_accepted_as_options(frame):
    net = ip.learn(frame, gamma=1.0)
    assert ip.learn(frame, gamma=np.array(1.0), standardize=np.False_, seed=np.uint64(0)) == net


def test_missing_files_are_named(frame):
    with pytest.raises(ValueError, match="nowhere.csv") as raised:
        ip.learn("nowhere.csv")
    assert isinstance(raised.value, FileNotFoundError)
    with pytest.raises(FileNotFoundError, match="nowhere.json"):
        ip.load("nowhere.json")


def test_errors_in_lists_name_file_and_line(frame, tmp_path):
    (tmp_path / "bad.tsv").write_text("from\tto\nA\tnobody\n")
    with pytest.raises(ValueError, match=r"bad\.tsv:2: no variable is called 'nobody'"):
        ip.learn(frame, require=tmp_path / "bad.tsv")
    with pytest.raises(ValueError, match=r"bad\.tsv:2: "):
        ip.learn(frame, forbid=str(tmp_path / "bad.tsv"))
    (tmp_path / "tiers.txt").write_text("A\nnobody\n")
    with pytest.raises(ValueError, match=r"tiers\.txt:2: "):
        ip.learn(frame, tiers=tmp_path / "tiers.txt")


def test_start_files_are_named_in_errors(frame, tmp_path):
    (tmp_path / "start.tsv").write_text("from\tto\nA\tB\nW\tB\n")
    with pytest.raises(ValueError, match=r"start\.tsv:3: the start network has a variable 'W' that is not in the data$"):
        ip.learn(frame, start=tmp_path / "start.tsv")
    other = ip.learn(frame.rename(columns={"A": "W", "B": "X", "C": "Y", "D": "Z"}))
    other.save(tmp_path / "start.json")
    with pytest.raises(ValueError, match=r"start\.json: the start network has 3 variables that are not in the data: "):
        ip.learn(frame, start=str(tmp_path / "start.json"))
    (tmp_path / "start.json").write_text('{"format":\n "idealparent-network",,')
    with pytest.raises(ValueError, match=r"start\.json: line 2, column 24: invalid JSON: "):
        ip.learn(frame, start=tmp_path / "start.json")


def test_row_names_that_were_guessed_are_noted(frame, tmp_path):
    path = tmp_path / "genes.tsv"
    frame.rename(index=lambda row: f"g{row}").to_csv(path, sep="\t", index_label="gene")
    with pytest.warns(ip.Note, match="^the first column, 'gene', is text and was read as row names$"):
        ip.learn(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ip.learn(path, row_names=True)
        frame.rename(index=lambda row: f"g{row}").to_csv(path, sep="\t")
        ip.learn(path)
    frame.rename(index=lambda row: f"g{row % 2}").to_csv(path, sep="\t", index_label="sex")
    with pytest.raises(ValueError, match=r"leave it out with drop=\['sex'\]; if it holds row names, use row_names=True\)$"):
        ip.learn(path)


def test_no_note_comes_before_an_error_about_the_options(frame, tmp_path):
    path = tmp_path / "genes.tsv"
    frame.rename(index=lambda row: f"g{row}").to_csv(path, sep="\t", index_label="gene")
    calls = [
        lambda: ip.learn(path, gamma=-1),
        lambda: ip.learn(path, bias=True),
        lambda: ip.learn(path, time_limit=-1),
        lambda: ip.learn(path, threads=0),
        lambda: ip.learn(path, callback=5),
        lambda: ip.bootstrap(path, 5, gamma=-1),
        lambda: ip.cross_validate(path, gamma=-1),
        lambda: ip.fit([("A", "B")], path, threads=0),
    ]
    for call in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises((ValueError, TypeError)):
                call()


def test_missing_values_of_the_whole_table_are_counted(frame):
    holes = frame.copy()
    holes.iloc[::20, 1] = np.nan
    calls = [
        lambda: ip.learn(holes, score="bge"),
        lambda: ip.cross_validate(holes, score="bge"),
        lambda: ip.bootstrap(holes, 5, score="bge"),
        lambda: ip.bootstrap(holes, 5, score="bge", executor=ThreadPoolExecutor(1)),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="^score='bge' needs complete data, but 10 values are missing"):
            call()


def test_structures_without_common_variables_are_not_compared(frame, net):
    other = ip.learn(frame.rename(columns={"A": "W", "B": "X", "C": "Y", "D": "Z"}))
    for call in (lambda: ip.compare(net, other), lambda: net.compare(other), lambda: ip.compare([("A", "B")], [("W", "X")])):
        with pytest.raises(ValueError, match="^the two structures have no variable in common"):
            call()
    assert net.compare([])["skeleton"]["recall"] == 1.0


def test_arrays_without_names_are_recognised(net, frame):
    with pytest.raises(ValueError, match=r"^the columns of an array have no names: pass names=\[\.\.\.\] \(the network has A, B, C and 1 more\)$"):
        net.predict(frame.to_numpy(), "A")


def test_input_files_are_not_overwritten(frame, tmp_path):
    path = tmp_path / "d.csv"
    frame.to_csv(path, index=False)
    before = path.read_bytes()
    for word in ("trace", "checkpoint"):
        with pytest.raises(ValueError, match=f"{word}: .*would be overwritten"):
            ip.learn(path, **{word: path})
    assert path.read_bytes() == before


def test_two_outputs_need_two_files(frame, tmp_path):
    same = tmp_path / "same"
    for first, second in (("trace", "report"), ("trace", "checkpoint"), ("profiles", "report")):
        for exists in (False, True):
            same.touch() if exists else same.unlink(missing_ok=True)
            with pytest.raises(ValueError, match=rf"^{second}: .*same is also written by {first}= \(choose another name\)$"):
                ip.learn(frame, hidden=1, **{first: same, second: str(same)})
    ip.learn(frame, trace=os.devnull, report=os.devnull)


def test_pipes_stay_pipes(net, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    net.save(pipe)
    assert pipe.is_fifo() and os.read(reader, 20).startswith(b"{")
    os.close(reader)
    with pytest.raises(OSError, match=r"nowhere/net\.json: there is no folder '.*nowhere'$"):
        net.save(tmp_path / "nowhere" / "net.json")


def test_saved_files_have_the_usual_permissions(net, tmp_path):
    before = os.umask(0o027)
    try:
        net.save(tmp_path / "net.json")
        assert (tmp_path / "net.json").stat().st_mode & 0o777 == 0o640
        os.chmod(tmp_path / "net.json", 0o604)
        net.save(tmp_path / "net.json")
        assert (tmp_path / "net.json").stat().st_mode & 0o777 == 0o604
        assert os.listdir(tmp_path) == ["net.json"]
    finally:
        os.umask(before)


def test_options_of_other_functions_are_refused(frame, net):
    for wrong in ({"forbid": [("A", "B")]}, {"two_layer": True}, {"search": "tabu"}, {"max_parents": 1}):
        with pytest.raises(TypeError, match="there is no option"):
            ip.fit([("A", "B")], frame, **wrong)
        with pytest.raises(TypeError, match="there is no option"):
            net.evaluate(frame, **wrong)
    with pytest.raises(TypeError, match="there is no option"):
        net.predict(frame, "A", cpd="linear")
    with pytest.raises(ValueError, match="one density"):
        ip.rank_parents(frame, "A", cpd="linear,sigmoid")


def test_a_string_is_not_accepted_as_a_list(frame):
    with pytest.raises(ValueError, match="parents: "):
        ip.rank_parents(frame, "A", "BC")
    with pytest.raises(ValueError, match="hidden: "):
        ip.fit([("A", "B")], frame, hidden="Hid")
    with pytest.raises(TypeError, match="network: "):
        ip.rank_parents(frame, "A", network="x")


def test_invalid_numbers_are_named(frame, net):
    for call, said in [
        (lambda: net.sample(-1), "n must be at least 0"),
        (lambda: net.sample(1, seed=-1), "seed must be at least 0"),
        (lambda: net.impute(frame, draws=-1), "draws must be at least 0"),
        (lambda: ip.bootstrap(frame, 2.5), "n: "),
        (lambda: ip.bootstrap(frame, 10**30), "n must be at most"),
        (lambda: ip.cross_validate(frame, folds=0), "folds must be at least 2"),
        (lambda: ip.cross_validate(frame, folds=-3), "folds must be at least 2"),
        (lambda: ip.impute([], frame), "networks: "),
        (lambda: ip.impute(["x"], frame), "networks: "),
    ]:
        with pytest.raises(ValueError, match=said):
            call()
    assert ip.impute(net, frame).mean.equals(frame)


def test_data_that_are_no_table_are_refused(frame, net):
    for wrong in (None, b"A,B", io.StringIO("A,B"), {1, 2}, (row for row in [[1.0]]), net, 5):
        with pytest.raises(TypeError, match=r"^data: .* is not a table \(pass a DataFrame, an array, a dict of columns or a file name\)$"):
            ip.learn(wrong)
    for wrong in (frame.to_dict("records"), frame["A"]):
        with pytest.raises((TypeError, ValueError), match=r"\(pass pandas\.DataFrame\(data\)\)$"):
            ip.learn(wrong)
    with pytest.raises(ValueError, match="data: the file name is empty"):
        ip.learn("")
    with pytest.raises(ValueError, match="path: the file name is empty"):
        net.save("")


def test_a_structure_is_a_network_or_a_list_of_edges(frame, net):
    for wrong in (None, {}):
        with pytest.raises(TypeError, match=f"^reference: {wrong} is not a network or a list of edges$"):
            ip.compare(net, wrong)
        with pytest.raises(TypeError, match=f"^structure: {wrong} is not a network or a list of edges$"):
            ip.fit(wrong, frame)
    assert ip.compare(net, [])["directed"]["recall"] == ip.compare(net, ())["directed"]["recall"]
    assert ip.fit([], frame).edges == []


def test_hidden_variables_are_not_ranked():
    table = ip.example("twolayer")
    net = ip.learn(table, hidden=1, two_layer=True)
    with pytest.raises(ValueError, match=f"^'{net.hidden[0]}' is hidden, so it has no ideal parent to rank$"):
        ip.rank_parents(table, net.hidden[0], network=net)


def test_arguments_of_the_wrong_type_are_named(frame, net, tmp_path):
    found = ip.bootstrap(frame, 2)
    for call, said in [
        (lambda: ip.learn(frame, drop=frame.columns), "^drop: no column is left$"),
        (lambda: ip.cross_validate(frame, {"ideal": {"k": 2}}), r'methods: expected a list such as \["ideal:k=2"\], not a dict'),
        (lambda: ip.cross_validate(frame, callback=5), "callback: 5 is not a function"),
        (lambda: ip.bootstrap(frame, 2, callback=5), "callback: 5 is not a function"),
        (lambda: net.report(tmp_path / "r", bootstrap="b.tsv"), "bootstrap: 'b.tsv' is not a result of idealparent.bootstrap"),
        (lambda: net.report(tmp_path / "r", title=5), "title: 5 is not text"),
        (lambda: ip.Network("net.json"), r"use idealparent\.load\(path\)"),
        (lambda: ip.Network.from_json({}), "text: {} is not text"),
        (lambda: ip.example(None), "name: None is not text"),
        (lambda: ip.example_truth(None), "name: None is not text"),
        (lambda: net.export(None), "format: None is not text"),
        (lambda: ip.impute(None, frame), "networks: expected a list of at least one network"),
        (lambda: ip.impute([net, 3], frame), "networks: 3 is not a network$"),
        (lambda: ip.IdealParent(criterion="x").fit(frame), "criterion: 'x' is not one of ebic, bic, aic, bge$"),
        (lambda: net.predict(frame, ["A", "B"]), "target: expected one name, not"),
        (lambda: found.average("x"), "threshold: 'x' is not a number from 0 to 1"),
        (lambda: found.average(1.5), "threshold: 1.5 is not a number from 0 to 1"),
    ]:
        with pytest.raises((TypeError, ValueError), match=said):
            call()
    assert not os.listdir(tmp_path)


def test_invalid_executors_are_named(frame):
    for wrong in (5, object()):
        with pytest.raises(TypeError, match="executor: "):
            ip.bootstrap(frame, 2, executor=wrong)
        with pytest.raises(TypeError, match="executor: "):
            ip.cross_validate(frame, executor=wrong)


def test_columns_of_other_types_are_named(frame):
    n = len(frame)
    dates = np.ma.array(np.arange(2 * n).astype("M8[s]").reshape(n, 2))
    with pytest.raises(ValueError, match="column 'X1' holds dates"):
        ip.learn(dates)
    with pytest.raises(ValueError, match="column 'Z' holds dates"):
        ip.learn(frame.assign(Z=pd.date_range("2020-01-01", periods=n)))
    with pytest.raises(ValueError, match=r"holds text, .* or convert it with pandas\.to_numeric\)"):
        ip.learn(frame.assign(Z=["1.5"] * n))
    with pytest.raises(ValueError, match="column 'Z' holds complex"):
        ip.learn(frame.assign(Z=pd.Series([np.complex128(1j)] * n, dtype=object)))
    with pytest.raises(ValueError, match="column 'Z', row 1: the number is too large"):
        ip.learn(frame.assign(Z=pd.Series([10**400] * n, dtype=object)))
    with pytest.raises(ValueError, match="column 'Z' is not a list of numbers"):
        ip.learn({**frame.to_dict("list"), "Z": (x for x in range(n))})
    with pytest.raises(ValueError, match="two columns are called '1'"):
        ip.learn({1: frame["A"], "1": frame["B"]})
    with pytest.raises(ValueError, match="differ in length"):
        ip.learn([[1.0, 2.0], [3.0]])
    for series in (pl.Series("A", [1.0]), pl.Series("A", [1.0]).to_arrow()):
        with pytest.raises(ValueError, match="one column|two dimensions"):
            ip.learn(series)


def test_text_columns_can_be_left_out_everywhere(frame, net):
    with_text = frame.assign(Q="t")
    with pytest.raises(ValueError, match=r"drop=\['Q'\]"):
        ip.learn(with_text)
    with pytest.warns(ip.Note, match="'Q'"):
        assert net.predict(with_text, "A").equals(net.predict(frame, "A"))
    assert ip.learn(with_text, drop=["Q"]) == net
    assert net.predict(with_text, "A", drop=["Q"]).equals(net.predict(frame, "A"))
    assert net.impute(with_text, drop=["Q"]).equals(frame)
    assert net.log_likelihood(with_text, drop=["Q"]) == net.log_likelihood(frame)
    assert ip.bootstrap(with_text, 3, drop=["Q"]).edges == ip.bootstrap(frame, 3).edges
    assert ip.fit(net, with_text, drop=["Q"]) == ip.fit(net, frame)
    assert ip.rank_parents(with_text, "A", drop=["Q"]).equals(ip.rank_parents(frame, "A"))
    found = [ip.cross_validate(data, "ideal", folds=2, **drop).results for data, drop in [(with_text, {"drop": ["Q"]}), (frame, {})]]
    assert [row["test"] for row in found[0]] == [row["test"] for row in found[1]]


def test_columns_of_nulls_are_inactive(frame):
    nulls = pl.DataFrame(frame).with_columns(Z=pl.lit(None), W=pl.Series([2] * len(frame), dtype=pl.Int128))
    with pytest.warns(ip.Note):
        net = ip.learn(nulls)
    assert net["Z"].inactive and net["W"].inactive
    assert ip.learn(nulls, drop=["Z", "W"]).edges == ip.learn(frame).edges


def test_transposed_frames_are_read_like_files(frame, tmp_path):
    turned = frame.T
    turned.columns = [f"c{i}" for i in range(turned.shape[1])]
    turned.to_csv(tmp_path / "g.csv")
    rows = [f"c{i}" for i in range(20)]
    for options in (
        {"instances": rows},
        {"drop": ["B"]},
        {"drop": ["B", "c3"]},
        {"variables": ["A", "C"], "instances": rows},
    ):
        from_file = ip.learn(tmp_path / "g.csv", transpose=True, **options)
        from_frame = ip.learn(turned, transpose=True, **options)
        assert from_file == from_frame
    for wrong in ({"instances": ["A"]}, {"drop": ["nobody"]}, {"variables": ["c0"]}):
        for data in (tmp_path / "g.csv", turned):
            with pytest.raises(ValueError, match="A|nobody|c0"):
                ip.learn(data, transpose=True, **wrong)


def test_delimiter_and_row_names_of_files(frame, net, tmp_path):
    named = frame.set_index(pd.Index(range(1, len(frame) + 1), name="number"))
    named.to_csv(tmp_path / "t.txt", sep=";")
    found = ip.learn(tmp_path / "t.txt", delimiter=";", row_names=True)
    assert found.edges == net.edges
    assert "number" in ip.learn(tmp_path / "t.txt", delimiter="semicolon", row_names=False)
    with pytest.raises(ValueError, match="delimiter: 'ab' is not a single character"):
        ip.learn(tmp_path / "t.txt", delimiter="ab")


def test_profiles_are_written(tmp_path):
    table = ip.example("twolayer")
    net = ip.learn(table, hidden=2, two_layer=True, profiles=tmp_path / "p.csv.gz")
    again = pd.read_csv(tmp_path / "p.csv.gz", float_precision="round_trip")
    pd.testing.assert_frame_equal(again, net.hidden_profiles(table), check_exact=True)


def test_profiles_without_hidden_variables_are_noted(frame, tmp_path):
    with pytest.warns(ip.Note, match=r"p\.csv: not written \(no hidden variables\)"):
        ip.learn(frame, hidden="auto", profiles=tmp_path / "p.csv")
    assert not os.listdir(tmp_path)


def test_damaged_bootstrap_replicates_are_refused(frame):
    found = ip.bootstrap(frame, 3)
    for text in ('{"number":0,"directed":[[1,9]],"reversible":[]}', '{"number":0,"directed":[[4294967295,1]],"reversible":[]}', "?"):
        wrong = ip.Bootstrap(found.names, [text], found._table, found._asked)
        for use in (lambda b: b.edges, lambda b: b.average(), lambda b: b.threshold):
            with pytest.raises(ValueError, match="replicate"):
                use(wrong)


def test_notes_of_a_bootstrap_are_issued():
    with pytest.warns(ip.Note, match="hidden variables are not counted"):
        ip.bootstrap(ip.example("twolayer"), 2, hidden=1, two_layer=True)


def test_densities_and_provenance_are_copies(frame, net):
    cpd = net["B"]
    cpd.parameters["variance"] = 99.0
    assert net["B"].variance != 99.0
    net.provenance["options"]["seed"] = 5
    assert net.provenance["options"].get("seed") != 5
    assert hash(net["B"]) == hash(net["B"])


def test_pictures_allow_unusual_names(chain):
    _, values = chain
    net = ip.learn({"": values[:, 0], "a\x01": values[:, 1]})
    net._repr_svg_()
