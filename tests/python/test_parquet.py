"""Tables written by pyarrow are read like the same tables in TSV files."""

import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc as ipc
import pyarrow.parquet as parquet
import pytest

import common
from common import idealparent, report

ROWS = 120
COMPLETE = ["x", "y", "z", "count", "small", "flag"]


def stream(table, path):
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=32)


def file(table, path, compression=None):
    options = ipc.IpcWriteOptions(compression=compression)
    with ipc.new_file(path, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=50)


WRITERS = {
    **{
        f"{name}.parquet": lambda table, path, name=name: parquet.write_table(
            table, path, compression=name, row_group_size=47
        )
        for name in ("none", "snappy", "zstd", "gzip", "brotli", "lz4")
    },
    "plain.arrow": file,
    "lz4.arrow": lambda table, path: file(table, path, "lz4"),
    "zstd.ipc": lambda table, path: file(table, path, "zstd"),
    "stream.arrows": stream,
    "stream.arrow": stream,
    "default.feather": feather.write_feather,
    "plain.feather": lambda t, path: feather.write_feather(t, path, compression="uncompressed"),
    # The format is recognised by the first bytes, whatever the name.
    "nameless": parquet.write_table,
}


@pytest.fixture(scope="module")
def table():
    """Row names, and columns of several types; some have nulls, and one has NaN."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=ROWS)
    y = (2 * x + rng.normal(size=ROWS)).astype(np.float32)
    z = rng.normal(size=ROWS) * 1e-8 - 5
    count = (30 * x + rng.normal(size=ROWS) * 9).astype(np.int64)
    small = (y * 10 + rng.normal(size=ROWS) * 3).clip(-100, 100).astype(np.int8)
    nulls = rng.random(ROWS) < 0.2
    columns = {
        "sample": pa.array([f"s {i}" for i in range(ROWS)]),
        "x": pa.array(x),
        "y": pa.array(y),
        "with null": pa.array(x * 3 + 1, mask=nulls),
        "z": pa.array(z),
        "with NaN": pa.array(np.where(np.roll(nulls, 5), np.nan, z * 1e8)),
        "count": pa.array(count),
        "counted": pa.array(count + 7, type=pa.int32(), mask=np.roll(nulls, 11)),
        "small": pa.array(small),
        "flag": pa.array(x > 0.3),
    }
    return pa.table(columns)


@pytest.fixture(scope="module")
def reference(table, tmp_path_factory):
    """A folder with the TSV file, a network learned from its complete columns, and one over all
    columns.
    """
    folder = tmp_path_factory.mktemp("reference")
    names = table.column_names[1:]
    values = np.column_stack(
        [np.array([np.nan if v is None else v for v in table[n].to_pylist()], float) for n in names]
    )
    tsv = common.write_table(folder / "table.tsv", names, values)
    # Add the row names, as in the other formats.
    head, *lines = tsv.read_text(encoding="utf-8").splitlines()
    rows = [f"s {i}\t{line}" for i, line in enumerate(lines)]
    tsv.write_text("\n".join(["sample\t" + head, *rows]) + "\n", encoding="utf-8")
    chosen = folder / "complete.txt"
    chosen.write_text("\n".join(COMPLETE) + "\n", encoding="utf-8")
    network = folder / "net.json"
    idealparent("learn", tsv, "--variables", chosen, "-o", network)
    # A network over all columns, learned from complete rows, to score tables with missing values.
    whole = common.write_table(folder / "whole.tsv", names, values[~np.isnan(values).any(1)])
    idealparent("learn", whole, "-o", folder / "all.json")
    return folder


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_network_and_score(table, reference, tmp_path, name):
    path, network = tmp_path / name, tmp_path / "net.json"
    WRITERS[name](table, str(path))
    idealparent("learn", path, "--variables", reference / "complete.txt", "-o", network)
    wanted = common.read_json(reference / "net.json")
    found = common.read_json(network)
    assert found["provenance"]["data"] == wanted["provenance"]["data"]
    assert len(common.edges(found)) >= 3
    assert found == wanted
    # With missing values, the marginal likelihood is the same to the last bit.
    scored = report("score", reference / "all.json", path)
    assert scored == report("score", reference / "all.json", reference / "table.tsv")
    assert scored["instances"] == ROWS and "per_variable" not in scored


def test_formats_are_recognised_on_standard_input(table, reference, tmp_path):
    """There is no file name, only the bytes."""
    path = tmp_path / "table.parquet"
    parquet.write_table(table, path)
    words = [common.COMMAND, "score", reference / "all.json", "-", "--json"]
    with open(path, "rb") as bytes_:
        said = subprocess.run(words, stdin=bytes_, capture_output=True, check=True).stdout
    direct = idealparent("score", reference / "all.json", path, "--json")
    assert said.decode() == direct


def test_a_transposed_table_gives_the_same_network(tables, tmp_path):
    """The table has the variables' names in its first column."""
    names, values = tables.values("sachs")
    columns = {"gene": pa.array(names)}
    columns |= {f"cell {i}": pa.array(row) for i, row in enumerate(values[:200])}
    path, network = tmp_path / "genes.parquet", tmp_path / "net.json"
    parquet.write_table(pa.table(columns), path)
    idealparent("learn", path, "--transpose", "-o", network)
    straight = common.write_table(tmp_path / "cells.tsv", names, values[:200])
    idealparent("learn", straight, "-o", tmp_path / "straight.json")
    found, wanted = common.read_json(network), common.read_json(tmp_path / "straight.json")
    assert found["provenance"]["data"] == wanted["provenance"]["data"]
    assert found["families"] == wanted["families"]


def test_text_columns_are_refused_in_one_line(table, tmp_path):
    path = tmp_path / "text.parquet"
    parquet.write_table(table.append_column("kind", pa.array(["a", "b"] * (ROWS // 2))), path)
    refused = idealparent("learn", path, ok=False)
    assert refused.returncode == 1 and refused.stderr.count("\n") == 1
    assert "'kind'" in refused.stderr and "--drop" in refused.stderr


def test_damaged_files_are_refused_in_one_line(table, tmp_path):
    whole = tmp_path / "whole.parquet"
    parquet.write_table(table, whole)
    data = whole.read_bytes()
    for length in (4, 100, len(data) // 2, len(data) - 3):
        path = tmp_path / "cut.parquet"
        path.write_bytes(data[:length])
        refused = idealparent("learn", path, ok=False)
        assert refused.returncode == 1 and refused.stderr.count("\n") == 1, refused.stderr


def test_files_that_make_the_decoder_panic_are_refused_in_one_line(table, tmp_path):
    """Single bits are flipped in the metadata at the end. Some make the decoder panic, which must
    not be visible.
    """
    whole, path = tmp_path / "whole.parquet", tmp_path / "turned.parquet"
    parquet.write_table(table, whole)
    data = whole.read_bytes()
    directory = int.from_bytes(data[-8:-4], "little")
    caught = 0
    for at in range(len(data) - 8 - directory, len(data) - 8, 7):
        turned = bytearray(data)
        turned[at] ^= 1
        path.write_bytes(turned)
        # This score does not allow missing values, so the table is refused in any case.
        refused = idealparent("learn", path, "--score", "bge", ok=False)
        assert refused.returncode in (1, 2) and refused.stderr.count("\n") == 1, refused.stderr
        assert refused.stderr.startswith("error: ")
        caught += "inconsistent data" in refused.stderr
    assert caught > 0
