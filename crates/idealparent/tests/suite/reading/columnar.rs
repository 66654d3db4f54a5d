//! Parquet and Arrow IPC files.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::{ArrowPrimitiveType, Float16Type, Int8Type};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float16Array, Float32Array, Float64Array,
    Int64Array, LargeStringArray, NullArray, RecordBatch, StringArray, UInt8Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::Schema;
use idealparent::data::{ReadOptions, read_bytes};
use parquet::arrow::ArrowWriter;

use super::{listed, refusal, refusal_with, rows};

fn text(cells: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(cells.to_vec()))
}

fn numbers(cells: &[f64]) -> ArrayRef {
    Arc::new(Float64Array::from(cells.to_vec()))
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(
        columns
            .into_iter()
            .map(|(name, column)| (name, column, true)),
    )
    .unwrap()
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn file(batch: &RecordBatch) -> Vec<u8> {
    packed_file(batch, None)
}

fn packed_file(batch: &RecordBatch, codec: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default()
        .try_with_compression(codec)
        .unwrap();
    let mut writer =
        FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

/// A stream of two batches, which belong to the same table.
fn stream(batch: &RecordBatch) -> Vec<u8> {
    stream_of([batch.slice(0, 1), batch.slice(1, batch.num_rows() - 1)])
}

fn stream_of(batches: [RecordBatch; 2]) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
    for batch in batches {
        writer.write(&batch).unwrap();
    }
    writer.into_inner().unwrap()
}

/// A table of genes by samples, with missing values.
fn genes() -> RecordBatch {
    batch(vec![
        ("gene", text(&["g1", "g2", "g3"])),
        ("s1", numbers(&[1.0, 2.0, 0.1])),
        (
            "s2",
            Arc::new(Float64Array::from(vec![Some(4.0), None, Some(f64::NAN)])),
        ),
    ])
}

#[test]
fn formats_are_recognised_by_magic_bytes_or_extension() {
    let (parquet, file, stream) = (parquet(&genes()), file(&genes()), stream(&genes()));
    for (bytes, origin) in [
        (&parquet, "x.parquet"),
        (&parquet, "<stdin>"),
        (&file, "x.arrow"),
        (&file, "x.feather"),
        (&file, "<stdin>"),
        (&stream, "x.arrows"),
        (&stream, "x.ipc"),
        (&stream, "<stdin>"),
    ] {
        let table = read_bytes(bytes.clone(), origin, &ReadOptions::default())
            .unwrap()
            .table;
        assert_eq!(table.names(), ["s1", "s2"], "{origin}");
        assert_eq!(rows(&table)[..3], ["1 4", "2 NaN", "0.1 NaN"], "{origin}");
        assert_eq!(
            table.row_names().unwrap()[..3],
            ["g1", "g2", "g3"],
            "{origin}"
        );
        assert_eq!(table.rows(), 3, "{origin}");
    }
}

#[test]
fn every_kind_of_number_is_read() {
    let decimal = Decimal128Array::from(vec![Some(1234), None, Some(-10_000_000_000_000_002)])
        .with_precision_and_scale(30, 16)
        .unwrap();
    let half = [0.5, 1.0, 65504.0].map(<Float16Type as ArrowPrimitiveType>::Native::from_f32);
    let half: ArrayRef = Arc::new(Float16Array::from_iter_values(half));
    let numbers = batch(vec![
        (
            "i64",
            Arc::new(Int64Array::from(vec![Some(-7), None, Some(1 << 53)])),
        ),
        ("u8", Arc::new(UInt8Array::from(vec![255, 0, 1]))),
        (
            "f32",
            Arc::new(Float32Array::from(vec![0.1, f32::NAN, 3.0])),
        ),
        ("f16", half),
        (
            "yes",
            Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])),
        ),
        ("none", Arc::new(NullArray::new(3))),
        ("decimal", Arc::new(decimal)),
    ]);
    let expected = [
        "-7 255 0.10000000149011612 0.5 1 NaN 0.0000000000001234",
        "NaN 0 NaN 1 0 NaN NaN",
        "9007199254740992 1 3 65504 NaN NaN -1.0000000000000002",
    ];
    for bytes in [file(&numbers), stream(&numbers), parquet(&numbers)] {
        let table = read_bytes(bytes, "x", &ReadOptions::default())
            .unwrap()
            .table;
        assert_eq!(rows(&table)[..3], expected);
    }
}

#[test]
fn row_names_are_recognised() {
    let table = |batch: &RecordBatch, row_names| {
        let options = ReadOptions {
            row_names,
            ..ReadOptions::default()
        };
        read_bytes(parquet(batch), "x", &options).unwrap().table
    };
    let index = batch(vec![
        ("a", numbers(&[1.0])),
        ("__index_level_0__", text(&["r"])),
    ]);
    assert_eq!(table(&index, None).row_names().unwrap(), ["r"]);
    assert_eq!(table(&index, None).names(), ["a"]);
    let large = batch(vec![
        (
            "id",
            Arc::new(LargeStringArray::from(vec![Some("r"), None])),
        ),
        ("a", numbers(&[1.0, 2.0])),
    ]);
    assert_eq!(table(&large, None).row_names().unwrap(), ["r", ""]);
    let repeated = batch(vec![
        ("sex", text(&["f", "m", "f"])),
        ("a", numbers(&[1.0, 2.0, 3.0])),
    ]);
    assert_eq!(
        table(&repeated, Some(true)).row_names().unwrap(),
        ["f", "m", "f"]
    );
    let error = read_bytes(parquet(&repeated), "x", &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "x: column 'sex' holds text, not numbers (leave it out with `drop = sex`)"
    );
    let notes = read_bytes(parquet(&large), "x", &ReadOptions::default())
        .unwrap()
        .notes;
    assert_eq!(
        notes,
        ["the first column, 'id', is text and was read as row names"]
    );
    let plain = batch(vec![("id", numbers(&[7.0])), ("a", numbers(&[1.0]))]);
    assert_eq!(table(&plain, None).names(), ["id", "a"]);
    assert_eq!(table(&plain, Some(true)).row_names().unwrap(), ["7.0"]);
    let unnamed = batch(vec![("", numbers(&[7.0])), ("a", numbers(&[1.0]))]);
    assert_eq!(table(&unnamed, None).names(), ["a"]);

    let columns = vec![("a", numbers(&[1.0])), ("gene", text(&["g"]))];
    let pandas = r#"{"index_columns": ["gene"], "columns": []}"#;
    let metadata = HashMap::from([("pandas".to_string(), pandas.to_string())]);
    let named = batch(columns);
    let schema = Schema::new_with_metadata(named.schema().fields().clone(), metadata);
    let named = named.with_schema(Arc::new(schema)).unwrap();
    assert_eq!(table(&named, None).row_names().unwrap(), ["g"]);
}

#[test]
fn selection_works_as_for_text() {
    let options = ReadOptions {
        transpose: true,
        variables: listed(&["g1", "g3"]),
        instances: listed(&["s1"]),
        ..ReadOptions::default()
    };
    let table = read_bytes(parquet(&genes()), "x", &options).unwrap().table;
    assert_eq!(table.names(), ["g1", "g3"]);
    assert_eq!(rows(&table), ["1 0.1"]);
    let numbered = ReadOptions {
        transpose: true,
        row_names: Some(false),
        drop: vec!["gene".into(), "R2".into()],
        ..ReadOptions::default()
    };
    let table = read_bytes(file(&genes()), "x", &numbered).unwrap().table;
    assert_eq!(table.names(), ["R1", "R3"]);
    assert_eq!(
        refusal_with(
            stream_of([genes(), genes().slice(0, 1)]),
            "x",
            &ReadOptions {
                transpose: true,
                ..Default::default()
            }
        ),
        "x: two rows are called 'g1' (rename one)"
    );
}

#[test]
fn unusable_columns_are_refused() {
    let message = |columns| refusal(parquet(&batch(columns)), "x.parquet");
    let a = || ("a", numbers(&[1.0]));
    assert_eq!(
        message(vec![a(), ("species", text(&["setosa"]))]),
        "x.parquet: column 'species' holds text, not numbers (leave it out with `drop = species`)"
    );
    assert_eq!(
        message(vec![
            a(),
            ("day", Arc::new(Date32Array::from(vec![1]))),
            ("b", text(&["x"]))
        ]),
        "x.parquet: column 'day' holds dates, not numbers \
         (one of 2 such columns: leave them out with `drop = day, b`)"
    );
    let mut builder = StringDictionaryBuilder::<Int8Type>::new();
    builder.append_value("red");
    assert_eq!(
        message(vec![("colour", Arc::new(builder.finish())), a()]),
        "x.parquet: column 'colour' holds categories, not numbers \
         (leave it out with `drop = colour`)"
    );
    assert_eq!(
        message(vec![("a", numbers(&[1.0, f64::INFINITY]))]),
        "x.parquet: column 'a', row 2: infinite value (write a null for a missing value)"
    );
    assert_eq!(
        message(vec![("a", numbers(&[])), ("b", numbers(&[]))]),
        "x.parquet: no rows"
    );
    let empty = RecordBatch::new_empty(Arc::new(Schema::empty()));
    assert_eq!(
        refusal(file(&empty), "x.arrow"),
        "x.arrow: the table has no columns"
    );
    assert_eq!(
        message(vec![a(), ("", numbers(&[1.0]))]),
        "x.parquet: column 2 has no name (name it or delete it)"
    );
    assert_eq!(
        refusal(b"FEA1\0\0", "x.feather"),
        "x.feather: Feather version 1 is not supported (write version 2 or Parquet)"
    );
}

#[test]
fn dropped_columns_are_not_read() {
    let options = ReadOptions {
        drop: vec!["species".into()],
        ..ReadOptions::default()
    };
    let flowers = batch(vec![("a", numbers(&[1.0])), ("species", text(&["setosa"]))]);
    for bytes in [parquet(&flowers), file(&flowers)] {
        let table = read_bytes(bytes, "x", &options).unwrap().table;
        assert_eq!(table.names(), ["a"]);
    }
}

/// Every prefix of a file, and every file with one byte changed, is read or refused without a
/// panic.
#[test]
fn text_with_the_name_of_a_binary_format_is_refused() {
    for (origin, format) in [("x.parquet", "a Parquet"), ("x.feather", "an Arrow")] {
        let extension = origin.rsplit('.').next().unwrap();
        assert_eq!(
            refusal(b"a,b\n1,2\n", origin),
            format!(
                "{origin}: not {format} file, although the name ends in .{extension} \
                 (rename it or write it again)"
            )
        );
    }
}

#[test]
fn damaged_files_are_refused() {
    let nulls = || Arc::new(NullArray::new(3));
    let nothing = batch(vec![("a", nulls()), ("b", nulls())]);
    let packed = |codec| packed_file(&genes(), Some(codec));
    for (whole, origin) in [
        (parquet(&genes()), "x.parquet"),
        (file(&genes()), "x.arrow"),
        (stream(&genes()), "x.arrows"),
        (stream(&nothing), "nothing.arrows"),
        (packed(CompressionType::LZ4_FRAME), "lz4.arrow"),
        (packed(CompressionType::ZSTD), "zstd.arrow"),
    ] {
        let read = |bytes: &[u8]| read_bytes(bytes.to_vec(), origin, &ReadOptions::default());
        assert_eq!(read(&whole).unwrap().table.width(), 2, "{origin}");
        let check = |bytes: &[u8]| {
            if let Err(error) = read(bytes) {
                assert!(!error.to_string().contains('\n'), "{error}");
            }
        };
        for length in 0..whole.len() {
            check(&whole[..length]);
        }
        for position in 0..whole.len() {
            for change in [0x01, 0x10, 0x40, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[position] ^= change;
                check(&damaged);
            }
        }
        let message = refusal(&whole[..whole.len() / 3], origin);
        let expected = format!("{origin}: damaged or unknown ");
        assert!(message.starts_with(&expected), "{message}");
    }
}
