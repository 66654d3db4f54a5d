//! Where a table comes from and what of it is used.

use std::path::{Path, PathBuf};

use clap::Args;

/// Options that say how a table is read.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Data")]
pub struct DataArgs {
    /// Take an embedded data set instead of a file (see `idealparent examples`)
    #[arg(long, value_name = "NAME")]
    pub example: Option<String>,
    /// What separates fields: one character, or tab, comma, semicolon, space
    #[arg(long, value_name = "CHAR")]
    pub delimiter: Option<String>,
    /// Variables are rows (expression tables)
    #[arg(long)]
    pub transpose: bool,
    /// Keep only the variables listed in this file, one a line, "quoted" as in CSV where they need it
    #[arg(long, value_name = "FILE")]
    pub variables: Option<PathBuf>,
    /// Keep only the instances listed in this file, likewise
    #[arg(long, value_name = "FILE")]
    pub instances: Option<PathBuf>,
    /// Leave these columns out (text, categories); names separated by commas, "quoted" where they hold one
    #[arg(long, value_name = "NAMES")]
    pub drop: Vec<String>,
    /// Whether the first column names the rows, where it is guessed wrongly
    #[arg(long, value_name = "yes|no")]
    pub row_names: Option<String>,
}

impl DataArgs {
    /// The files these options name.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let named = [&self.variables, &self.instances];
        named.into_iter().flatten().map(PathBuf::as_path)
    }

    /// These options as they are written, the example left out.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut put = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                words.extend([name.to_string(), value]);
            }
        };
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        put("--delimiter", self.delimiter.clone());
        put("--variables", path(&self.variables));
        put("--instances", path(&self.instances));
        for names in &self.drop {
            put("--drop", Some(names.clone()));
        }
        put("--row-names", self.row_names.clone());
        if self.transpose {
            words.push("--transpose".to_string());
        }
        words
    }
}
