//! Options, each declared once: name, type, default, help, checks, and its record in network files.
//!
//! The macro `options!` declares a struct of options. The command line, the Python package, the
//! record in a network file, the fingerprint of a checkpoint and the reference page are all
//! generated from the [`OptionSpec`]s that the macro collects.

mod declare;
mod spec;
mod value;

pub(crate) use declare::options;
pub(crate) use spec::needs;
pub use spec::{OptionCommand, OptionGroup, OptionSpec};
pub use value::{OptionKind, OptionValue, split_names};
pub(crate) use value::{restored, unknown_word, word_value, wrong, wrong_whole};
