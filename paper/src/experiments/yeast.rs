//! The yeast expression data.

use std::path::{Path, PathBuf};

use idealparent::data::{NameList, ReadOptions, read_path};
use idealparent::{Error, Result, Table};

/// What replaces the authors' gene lists; shown on every page.
pub const STAND_IN: &str = "The expression values are those published by Gasch et al. \
    (2000). The authors' lists of genes are not published. The gene sets AA and Met are rebuilt \
    from the GO annotation of March 2003, and are close to the authors' in size and theme: 44 and \
    87 genes without missing values (paper: 44 and 89), and 349 genes with missing values (paper: \
    354).";

/// A hash of all data that are read.
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
    /// Returns an error if the folder does not contain the data.
    pub fn new(data: &Path) -> Result<Self> {
        let folder = data.join("gasch2000_yeast_stress");
        if !folder.join("gasch2000_complete.tsv.gz").is_file() {
            return Err(Error::data(format!(
                "{}: gasch2000_yeast_stress/gasch2000_complete.tsv.gz is missing (--data is the folder that contains it)",
                data.display()
            )));
        }
        Ok(Yeast { folder })
    }

    /// The table of a gene set. The variables are the genes, or the conditions if `by_condition`.
    pub fn table(&self, set: &str, by_condition: bool) -> Result<Table> {
        let list = match set {
            "AA" => "aa_rebuild_nomiss.txt",
            "Met" => "met_rebuild_nomiss.txt",
            "AA with missing values" => "aa_rebuild.txt",
            other => unreachable!("no set is called {other}"),
        };
        let genes = NameList::read(&self.folder.join(list))?;
        let mut options = ReadOptions::default();
        if by_condition {
            options.instances = Some(genes);
        } else {
            options.transpose = true;
            options.variables = Some(genes);
        }
        Ok(read_path(&self.folder.join("gasch2000_complete.tsv.gz"), &options)?.table)
    }
}
