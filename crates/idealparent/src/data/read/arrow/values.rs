//! Values of Arrow arrays as doubles and as text.

use std::fmt::Debug;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType, TimeUnit};

/// The values of an array as doubles; NaN for a null.
pub(super) fn doubles(array: &ArrayRef) -> Result<Vec<f64>, ArrowError> {
    use DataType::*;
    Ok(match array.data_type() {
        Int8 => converted::<Int8Type>(array, f64::from),
        Int16 => converted::<Int16Type>(array, f64::from),
        Int32 => converted::<Int32Type>(array, f64::from),
        Int64 => converted::<Int64Type>(array, |value| value as f64),
        UInt8 => converted::<UInt8Type>(array, f64::from),
        UInt16 => converted::<UInt16Type>(array, f64::from),
        UInt32 => converted::<UInt32Type>(array, f64::from),
        UInt64 => converted::<UInt64Type>(array, |value| value as f64),
        Float16 => converted::<Float16Type>(array, |value| value.to_f64()),
        Float32 => converted::<Float32Type>(array, f64::from),
        Float64 => converted::<Float64Type>(array, |value| value),
        Decimal32(..) => parsed::<Decimal32Type>(array),
        Decimal64(..) => parsed::<Decimal64Type>(array),
        Decimal128(..) => parsed::<Decimal128Type>(array),
        Decimal256(..) => parsed::<Decimal256Type>(array),
        Null => vec![f64::NAN; array.len()],
        Boolean => {
            let value = |cell: Option<bool>| cell.map_or(f64::NAN, |is| f64::from(u8::from(is)));
            array.as_boolean().iter().map(value).collect()
        }
        _ => return Err(unsupported(array)),
    })
}

fn converted<T: ArrowPrimitiveType>(array: &ArrayRef, value: fn(T::Native) -> f64) -> Vec<f64> {
    let cells = array.as_primitive::<T>().iter();
    cells.map(|cell| cell.map_or(f64::NAN, value)).collect()
}

/// Parsing its digits turns a decimal into the nearest double; a division would round twice.
fn parsed<T: DecimalType>(array: &ArrayRef) -> Vec<f64> {
    let decimals = array.as_primitive::<T>();
    let digits = |row: usize| (!decimals.is_null(row)).then(|| decimals.value_as_string(row));
    let value = |row: usize| digits(row).and_then(|text| text.parse().ok());
    (0..decimals.len())
        .map(|row| value(row).unwrap_or(f64::NAN))
        .collect()
}

/// The values of an array as text, for row names; empty for a null.
pub(super) fn texts(array: &ArrayRef) -> Result<Vec<String>, ArrowError> {
    use DataType::*;
    use TimeUnit::*;
    Ok(match array.data_type() {
        Utf8 => owned(array.as_string::<i32>().iter()),
        LargeUtf8 => owned(array.as_string::<i64>().iter()),
        Utf8View => owned(array.as_string_view().iter()),
        Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = texts(dictionary.values())?;
            let keys = dictionary.normalized_keys().into_iter().enumerate();
            let text = |(row, key): (usize, usize)| {
                let value = (!dictionary.keys().is_null(row)).then(|| values[key].clone());
                value.unwrap_or_default()
            };
            keys.map(text).collect()
        }
        Int8 => shown::<Int8Type>(array),
        Int16 => shown::<Int16Type>(array),
        Int32 => shown::<Int32Type>(array),
        Int64 => shown::<Int64Type>(array),
        UInt8 => shown::<UInt8Type>(array),
        UInt16 => shown::<UInt16Type>(array),
        UInt32 => shown::<UInt32Type>(array),
        UInt64 => shown::<UInt64Type>(array),
        Float32 => shown::<Float32Type>(array),
        Float64 => shown::<Float64Type>(array),
        Date32 => dated::<Date32Type>(array),
        Date64 => dated::<Date64Type>(array),
        Timestamp(Second, _) => dated::<TimestampSecondType>(array),
        Timestamp(Millisecond, _) => dated::<TimestampMillisecondType>(array),
        Timestamp(Microsecond, _) => dated::<TimestampMicrosecondType>(array),
        Timestamp(Nanosecond, _) => dated::<TimestampNanosecondType>(array),
        Null => vec![String::new(); array.len()],
        Boolean => {
            let text = |cell: Option<bool>| cell.map_or(String::new(), |is| is.to_string());
            array.as_boolean().iter().map(text).collect()
        }
        _ => return Err(unsupported(array)),
    })
}

fn owned<'a>(cells: impl Iterator<Item = Option<&'a str>>) -> Vec<String> {
    let text = |cell: Option<&str>| cell.unwrap_or_default().to_string();
    cells.map(text).collect()
}

fn shown<T: ArrowPrimitiveType<Native: Debug>>(array: &ArrayRef) -> Vec<String> {
    let text = |cell: Option<T::Native>| cell.map_or(String::new(), |value| format!("{value:?}"));
    array.as_primitive::<T>().iter().map(text).collect()
}

/// Dates as `2026-01-31`, times as `2026-01-31T12:00:00`, with `Z` if they are in a time zone.
fn dated<T: ArrowTemporalType>(array: &ArrayRef) -> Vec<String>
where
    i64: From<T::Native>,
{
    let values = array.as_primitive::<T>();
    let text = |row: usize| {
        let time = (!values.is_null(row)).then(|| values.value_as_datetime(row));
        match (time.flatten(), array.data_type()) {
            (None, _) => String::new(),
            (Some(time), DataType::Date32 | DataType::Date64) => time.date().to_string(),
            (Some(time), DataType::Timestamp(_, Some(_))) => format!("{time:?}Z"),
            (Some(time), _) => format!("{time:?}"),
        }
    };
    (0..values.len()).map(text).collect()
}

fn unsupported(array: &ArrayRef) -> ArrowError {
    ArrowError::CastError(format!(
        "values of type {} are not supported",
        array.data_type()
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Int64Array,
        NullArray, StringArray, StringViewArray, TimestampSecondArray,
    };

    use super::*;

    fn same(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(expected) {
            assert!(a == b || (a.is_nan() && b.is_nan()), "{found:?}");
        }
    }

    #[test]
    fn every_kind_of_number_becomes_a_double() {
        let of = |array: ArrayRef| doubles(&array).unwrap();
        same(
            &of(Arc::new(Int64Array::from(vec![Some(-3), None]))),
            &[-3.0, f64::NAN],
        );
        same(&of(Arc::new(Float32Array::from(vec![0.5]))), &[0.5]);
        same(
            &of(Arc::new(BooleanArray::from(vec![
                Some(true),
                Some(false),
                None,
            ]))),
            &[1.0, 0.0, f64::NAN],
        );
        same(&of(Arc::new(NullArray::new(2))), &[f64::NAN, f64::NAN]);
        let decimals =
            Decimal128Array::from(vec![Some(12_345), None]).with_precision_and_scale(10, 3);
        same(&of(Arc::new(decimals.unwrap())), &[12.345, f64::NAN]);
        let text: ArrayRef = Arc::new(StringArray::from(vec!["1"]));
        assert!(doubles(&text).is_err());
    }

    #[test]
    fn row_names_can_be_text_numbers_or_dates() {
        let of = |array: ArrayRef| texts(&array).unwrap();
        assert_eq!(
            of(Arc::new(StringViewArray::from(vec![Some("a"), None]))),
            ["a", ""]
        );
        assert_eq!(of(Arc::new(Int64Array::from(vec![7, -1]))), ["7", "-1"]);
        let levels: DictionaryArray<Int32Type> = vec![Some("u"), None, Some("v"), Some("u")]
            .into_iter()
            .collect();
        assert_eq!(of(Arc::new(levels)), ["u", "", "v", "u"]);
        assert_eq!(
            of(Arc::new(Date32Array::from(vec![Some(1), None]))),
            ["1970-01-02", ""]
        );
        let times = TimestampSecondArray::from(vec![60]);
        assert_eq!(of(Arc::new(times.clone())), ["1970-01-01T00:01:00"]);
        assert_eq!(
            of(Arc::new(times.with_timezone("UTC"))),
            ["1970-01-01T00:01:00Z"]
        );
    }
}
