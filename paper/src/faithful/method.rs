//! Methods by name, as in the tables.

use idealparent::evaluate::{FoldResult, MethodSpec, cross_validate_one};
use idealparent::learn::{Observer, learn_by};
use idealparent::{LearnOptions, Learned, Result, Table};

use super::Faithful;

/// A learning method: the library's options, and which of the paper's procedures replace the
/// library's.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperMethod {
    /// The library's options, and the method's name.
    pub spec: MethodSpec,
    /// The paper's procedures.
    pub faithful: Faithful,
}

impl PaperMethod {
    /// Parses `greedy:resolve`, `ideal:k=2:measure=c2:illegal=keep:forget`, …. Options that are not
    /// given are taken from `base`.
    pub fn parse(text: &str, base: &LearnOptions) -> Result<Self> {
        let mut faithful = Faithful::default();
        let mut kept = Vec::new();
        for part in text.split(':') {
            let (key, value) = part.split_once('=').unwrap_or((part, "yes"));
            if !faithful.set(key, value)? {
                kept.push(part);
            }
        }
        let mut spec = MethodSpec::parse(&kept.join(":"), base)?;
        spec.label = text.to_string();
        faithful.adapt(&mut spec.options);
        faithful.check(&spec.options)?;
        Ok(PaperMethod { spec, faithful })
    }

    /// Learns from a table.
    pub fn learn(&self, table: &Table, observer: &mut dyn Observer) -> Result<Learned> {
        learn_by(&self.faithful, table, &self.spec.options, None, observer)
    }

    /// Learns from all folds but one (numbered from 0) and tests on that one. `None` if the run was
    /// stopped.
    pub fn cross_validate_one(
        &self,
        table: &Table,
        folds: (usize, u64),
        fold: usize,
        observer: &mut dyn Observer,
    ) -> Result<Option<FoldResult>> {
        cross_validate_one(&self.faithful, table, &self.spec, folds, fold, observer)
    }
}
