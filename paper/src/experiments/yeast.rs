//! The yeast tables that the experiments are about.

use std::path::{Path, PathBuf};

use idealparent::data::{NameList, ReadOptions, read_names, read_path};
use idealparent::{Error, Result, Table};

/// What stands in for the authors' own lists: every page repeats it.
pub const STAND_IN: &str = "The expression values are those published by Gasch et al. (2000); the gene sets AA and Met are rebuilt from the GO annotation of March 2003, close in size and theme to the authors' own lists, which are not published (44 and 87 genes without missing values where the paper has 44 and 89; 349 with missing values where it has 354).";

/// A hash of all that is read.
pub fn fingerprint(data: &Path) -> Result<String> {
    let yeast = Yeast::new(data)?;
    let sets = ["AA", "Met", "AA with missing values"];
    let hash = |set: &str| Ok(yeast.table(set, false)?.sha256()[..16].to_string());
    Ok(sets
        .into_iter()
        .map(hash)
        .collect::<Result<Vec<String>>>()?
        .join(" "))
}

/// The folder with the data.
pub struct Yeast {
    folder: PathBuf,
}

impl Yeast {
    /// Refuses a folder that lacks them.
    pub fn new(data: &Path) -> Result<Self> {
        let folder = data.join("gasch2000_yeast_stress");
        if !folder.join("gasch2000_complete.tsv.gz").is_file() {
            return Err(Error::Data(format!(
                "{}: there is no gasch2000_yeast_stress/gasch2000_complete.tsv.gz here (--data names the folder that has it)",
                data.display()
            )));
        }
        Ok(Yeast { folder })
    }

    /// A gene set: genes are variables, or with `by_condition` the experiments are.
    pub fn table(&self, set: &str, by_condition: bool) -> Result<Table> {
        let list = match set {
            "AA" => "aa_rebuild_nomiss.txt",
            "Met" => "met_rebuild_nomiss.txt",
            "AA with missing values" => "aa_rebuild.txt",
            other => unreachable!("no set is called {other}"),
        };
        let genes: NameList = read_names(&self.folder.join(list))?;
        let options = match by_condition {
            false => ReadOptions {
                transpose: true,
                variables: Some(genes),
                ..ReadOptions::default()
            },
            true => ReadOptions {
                instances: Some(genes),
                ..ReadOptions::default()
            },
        };
        Ok(read_path(&self.folder.join("gasch2000_complete.tsv.gz"), &options)?.table)
    }
}
