"""Tables of all supported libraries give the same network, to the last bit."""

import gc
import sys
import weakref

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import idealparent as ip
from idealparent._data import given


def same(first, second):
    return first.to_json() == second.to_json()


@pytest.fixture(scope="module", params=["chain", "holes"])
def table(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def wanted(table):
    names, values = table
    return ip.learn(values, names=names)


def test_numpy_arrays_give_the_same_network(table, wanted):
    names, values = table
    assert same(ip.learn(np.asfortranarray(values), names=names), wanted)
    assert same(ip.learn(np.ascontiguousarray(values), names=names), wanted)
    assert same(ip.learn(np.repeat(values, 2, axis=1)[:, ::2], names=names), wanted)
    assert same(ip.learn(values.tolist(), names=names), wanted)
    assert same(ip.learn(np.ma.masked_invalid(values), names=names), wanted)
    assert ip.learn(values).variables == ["X1", "X2", "X3", "X4"]


def test_borrowed_arrays_are_not_modified(table):
    names, values = table
    array = np.asfortranarray(values)
    before = array.copy()
    array.flags.writeable = False
    net = ip.learn(array, names=names, standardize=True)
    assert net.edges
    np.testing.assert_array_equal(array, before)


def test_pandas_frames_give_the_same_network(table, wanted):
    names, values = table
    frame = pd.DataFrame(values, columns=names)
    assert same(ip.learn(frame), wanted)
    assert same(ip.learn(frame.convert_dtypes()), wanted)
    assert same(ip.learn(frame.astype(object).where(frame.notna(), None)), wanted)
    assert same(ip.learn(frame.set_index(pd.Index([f"r{i}" for i in range(len(frame))]))), wanted)
    shuffled = frame[["D", "C", "B", "A"]]
    assert set(ip.learn(shuffled)) == set(names)


def test_polars_frames_give_the_same_network(table, wanted):
    names, values = table
    frame = pl.DataFrame({n: values[:, i] for i, n in enumerate(names)})
    assert same(ip.learn(frame), wanted)
    assert same(ip.learn(frame.fill_nan(None)), wanted)
    with pytest.raises(ValueError, match="collect"):
        ip.learn(frame.lazy())


def test_arrow_tables_give_the_same_network(table, wanted):
    names, values = table
    arrow = pa.table({n: values[:, i] for i, n in enumerate(names)})
    assert same(ip.learn(arrow), wanted)
    chunked = pa.concat_tables([arrow.slice(0, 70), arrow.slice(70)])
    assert same(ip.learn(chunked), wanted)
    assert same(ip.learn(arrow.to_batches()[0]), wanted)

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return arrow.__arrow_c_stream__(requested_schema)

    assert same(ip.learn(Stream()), wanted)


def test_mappings_and_files_give_the_same_network(table, wanted, tmp_path):
    names, values = table
    assert same(ip.learn({n: values[:, i] for i, n in enumerate(names)}), wanted)
    path = tmp_path / "data.csv"
    pd.DataFrame(values, columns=names).to_csv(path, index=False)
    assert same(ip.learn(path), wanted)
    assert same(ip.learn(str(path)), wanted)


def test_integers_and_single_precision_are_converted(chain):
    names, values = chain
    whole = np.round(10 * values)
    wanted = ip.learn(whole, names=names)
    assert same(ip.learn(whole.astype(int), names=names), wanted)
    assert same(ip.learn(pd.DataFrame(whole, columns=names).astype("Int64")), wanted)
    assert same(ip.learn(pl.DataFrame(whole.astype(np.int16), schema=names)), wanted)
    single = ip.learn(values.astype(np.float32), names=names)
    assert same(single, ip.learn(values.astype(np.float32).astype(float), names=names))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda f: f.assign(text="a"),
        lambda f: f.assign(text=pd.Series(["a", None] * 100)),
        lambda f: f.assign(text=pd.Categorical(["a", "b"] * 100)),
        lambda f: f.assign(text=pd.Timestamp("2020-01-01")),
        lambda f: pl.from_pandas(f).with_columns(text=pl.lit("a")),
        lambda f: pa.table(f.assign(text="a")),
        lambda f: {**{n: f[n].to_numpy() for n in f}, "text": ["a"] * len(f)},
    ],
)
def test_columns_that_are_not_numbers_are_named(chain, spoil):
    frame = pd.DataFrame(chain[1], columns=chain[0])
    with pytest.raises(ValueError, match="'text'"):
        ip.learn(spoil(frame))
    assert same(ip.learn(spoil(frame), drop=["text"]), ip.learn(frame))


def test_invalid_tables_are_refused(chain):
    names, values = chain
    frame = pd.DataFrame(values, columns=names)
    for data, words in [
        (values[:, 0], "two dimensions"),
        (np.where(values > 2, np.inf, values), "infinite"),
        (frame.set_axis(["A", "A", "C", "D"], axis=1), "'A'"),
        (frame.iloc[:0], "empty"),
        ({"A": [1.0, 2.0], "B": [1.0]}, "column 'B' has length 1, but the first column has length 2"),
    ]:
        with pytest.raises(ValueError, match=words):
            ip.learn(data)
    with pytest.raises(ValueError, match="3 names for 4 columns"):
        ip.learn(values, names=["A", "B", "C"])
    with pytest.raises(ValueError, match="names can only be given for arrays"):
        ip.learn(frame, names=names)
    with pytest.raises(ValueError, match="drop: the data have no column 'X'"):
        ip.learn(frame, drop=["X"])
    with pytest.raises((ValueError, OSError), match="nowhere.csv"):
        ip.learn("nowhere.csv")
    with pytest.raises(ValueError, match="not one string"):
        ip.learn(frame, variables="A")


def test_variables_and_instances_can_be_selected(chain, tmp_path):
    names, values = chain
    frame = pd.DataFrame(values, columns=names, index=[f"r{i}" for i in range(len(values))])
    some = ip.learn(frame, variables=["A", "B"])
    assert some.variables == ["A", "B"]
    assert same(ip.learn(frame.T, transpose=True), ip.learn(frame))
    rows = [f"r{i}" for i in range(0, 200, 2)]
    assert same(ip.learn(frame, instances=rows), ip.learn(frame.loc[rows]))
    with pytest.raises(ValueError, match="no row 'x'"):
        ip.learn(frame, instances=["x"])


def test_results_have_the_type_of_the_input(holes):
    names, values = holes
    net = ip.learn(values, names=names)
    frame = pd.DataFrame(values, columns=names, index=[f"r{i}" for i in range(len(values))])
    filled = net.impute(frame)
    assert isinstance(filled, pd.DataFrame) and filled.index.equals(frame.index) and not filled.isna().any().any()
    assert list(net.predict(frame, "A").columns) == ["mean", "sd"]
    polars = net.impute(pl.from_pandas(frame))
    assert isinstance(polars, pl.DataFrame)
    np.testing.assert_array_equal(polars.to_numpy(), filled.to_numpy())
    arrow = net.impute(pa.table({n: values[:, i] for i, n in enumerate(names)}))
    assert isinstance(arrow, pa.Table)
    arrays = net.impute({n: values[:, i] for i, n in enumerate(names)})
    np.testing.assert_array_equal(arrays["B"], filled["B"])


def test_anndata_tables_give_the_same_network():
    values = np.random.default_rng(0).normal(size=(30, 3))
    genes, cells = ["g1", "g2", "g3"], [f"cell{i}" for i in range(30)]
    adata = anndata.AnnData(pd.DataFrame(values, index=cells, columns=genes))
    net = ip.learn(adata.to_df())
    assert same(net, ip.learn(values, names=genes))
    assert list(net.impute(adata.to_df()).index) == cells


def shares_memory(table, array):
    """Whether a table shares its memory with an array."""
    array[0, 0] = 12.5
    return table.columns()[0][0] == 12.5


@pytest.mark.parametrize("order", ["F", "C"])
def test_columns_in_fortran_order_are_borrowed(chain, order):
    array = np.array(chain[1], order=order)
    table = given(array).table
    assert shares_memory(table, array) == (order == "F")


def test_a_borrowed_array_lives_as_long_as_its_table(chain):
    array = np.asfortranarray(chain[1])
    table = given(array).table
    before = weakref.ref(array)
    del array
    gc.collect()
    assert before() is not None
    again = given(chain[1]).table
    assert [column.tolist() for column in table.columns()] == [column.tolist() for column in again.columns()]
    del table
    gc.collect()
    assert before() is None


def test_columns_of_frames_are_borrowed(chain):
    array = np.asfortranarray(chain[1])
    frame = pd.DataFrame(array, columns=chain[0], copy=False)
    assert shares_memory(given(frame).table, array)
    columns = [pa.array(array[:, i]) for i in range(array.shape[1])]
    table = given(pa.table(columns, names=chain[0])).table
    assert shares_memory(table, array)


def test_arrays_that_cannot_be_borrowed_are_copied(chain):
    values = chain[1]
    expected = ip.learn(values).edges
    wide = np.zeros((values.shape[0], 2 * values.shape[1]), order="F")
    wide[:, ::2] = values
    unaligned = np.zeros(values.size * 8 + 1, dtype=np.uint8)[1:].view(np.float64).reshape(values.shape, order="F")
    unaligned[:] = values
    fixed = np.asfortranarray(values)
    fixed.flags.writeable = False
    swapped = np.asfortranarray(values.astype(">f8"))
    for other in (wide[:, ::2], unaligned, fixed, swapped, values[::-1][::-1]):
        assert ip.learn(other).edges == expected
    assert ip.learn(np.asfortranarray(values)[:0:-1]).edges == ip.learn(values[:0:-1].copy()).edges


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="this needs pandas: pip install pandas"):
        ip.CrossValidation([]).to_pandas()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_text_columns_that_are_not_in_the_network_are_ignored(chain, frame, tmp_path):
    names, values = chain
    net = ip.learn(values, names=names)
    columns = {name: values[:, i] for i, name in enumerate(names)}
    table = frame(columns | {"site": ["north"] * len(values), "colour": ["red"] * len(values)})
    with pytest.warns(ip.Note, match="not in the network are ignored: 'site', 'colour'"):
        assert net.log_likelihood(table) == net.log_likelihood(values, names=names)
    with pytest.warns(ip.Note):
        filled = net.impute(table)
    assert list(filled.keys() if frame is dict else getattr(filled, "column_names", filled.columns)) == list(names)
    with pytest.raises(ValueError, match="site"):
        ip.learn(table)
