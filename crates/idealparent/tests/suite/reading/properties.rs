//! Properties of all tables: written tables are read back, and random bytes cause no panic.

use idealparent::data::{Delimiter, ReadOptions, read_bytes};
use proptest::collection::vec;
use proptest::prelude::*;

use super::listed;

/// Any value that a table may hold, with NaN for a missing one.
fn cell() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite()),
        2 => -1e3..1e3,
        1 => Just(f64::NAN),
    ]
}

/// A text of pieces that have a meaning in tables.
fn table_like() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("\n"),
        Just("\r\n"),
        Just("\r"),
        Just(","),
        Just("\t"),
        Just(" "),
        Just(";"),
        Just("\""),
        Just("1"),
        Just("2.5"),
        Just("NA"),
        Just("abc"),
        Just("inf"),
        Just("EWEIGHT"),
        Just("GWEIGHT"),
        Just("GID"),
        Just("NAME"),
        Just("AID"),
        Just("\0"),
        Just("é"),
    ];
    vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

fn options() -> impl Strategy<Value = ReadOptions> {
    let name = || prop_oneof![Just("1"), Just("abc"), Just("NA"), Just("R1"), Just("NAME")];
    let names = move || proptest::option::of(vec(name(), 0..3));
    let delimiter = proptest::option::of(prop_oneof![Just(b','), Just(b' '), any::<u8>()]);
    let row_names = proptest::option::of(any::<bool>());
    let drop = vec(name().prop_map(String::from), 0..2);
    (delimiter, row_names, any::<bool>(), names(), names(), drop).prop_map(
        |(delimiter, row_names, transpose, variables, instances, drop)| ReadOptions {
            delimiter: delimiter.and_then(|character| Delimiter::new(character).ok()),
            row_names,
            transpose,
            variables: variables.and_then(|names| listed(&names)),
            instances: instances.and_then(|names| listed(&names)),
            drop,
        },
    )
}

/// Reads the bytes under several names. There must be no panic, and errors must be one short line.
fn survives(bytes: &[u8], options: &ReadOptions) {
    for origin in [
        "x",
        "x.csv",
        "x.pcl",
        "x.tsv.gz",
        "x.parquet",
        "x.arrow",
        "x.arrows",
    ] {
        if let Err(error) = read_bytes(bytes.to_vec(), origin, options) {
            let line = error.to_string();
            assert!(!line.contains(['\n', '\r']), "{line:?}");
            assert!(line.chars().count() < 600, "{line:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200), options in options()) {
        survives(&bytes, &options);
        for magic in [&b"PAR1"[..], b"ARROW1\0\0", b"\xff\xff\xff\xff", b"\x1f\x8b\x08\0", b"\xff\xfe"] {
            survives(&[magic, &bytes].concat(), &options);
        }
    }

    #[test]
    fn anything_like_a_table_is_read_or_refused(text in table_like(), options in options()) {
        survives(text.as_bytes(), &ReadOptions::default());
        survives(text.as_bytes(), &options);
    }

    #[test]
    fn a_written_table_is_read_back(
        (rows, columns) in (1usize..20, 1usize..8)
            .prop_flat_map(|(m, n)| (Just(m), vec(vec(cell(), m), n))),
        exponents in any::<bool>(),
        delimiter in prop_oneof![Just(','), Just('\t'), Just(';'), Just(' ')],
    ) {
        let name = |j: usize| format!("\"v {j}, \"\"{j}\"\"\"");
        let header: Vec<String> = (0..columns.len()).map(name).collect();
        let mut text = format!("\"\"{delimiter}{}\n", header.join(&delimiter.to_string()));
        for i in 0..rows {
            text += &format!("r{i}");
            for column in &columns {
                text.push(delimiter);
                text += &match column[i] {
                    value if value.is_nan() => "NA".to_string(),
                    value if exponents => format!("{value:e}"),
                    value => value.to_string(),
                };
            }
            text.push('\n');
        }
        let options = ReadOptions { delimiter: Some(Delimiter::new(delimiter as u8).unwrap()), ..ReadOptions::default() };
        let table = read_bytes(text.into(), "x.txt", &options).unwrap().table;
        prop_assert_eq!((table.rows(), table.width()), (rows, columns.len()));
        prop_assert_eq!(&table.names()[0], "v 0, \"0\"");
        let bits = |column: &[f64]| -> Vec<Option<u64>> {
            column.iter().map(|x| (!x.is_nan()).then_some(x.to_bits())).collect()
        };
        for (read, written) in table.columns().iter().zip(&columns) {
            prop_assert_eq!(bits(read), bits(written));
        }
    }
}
