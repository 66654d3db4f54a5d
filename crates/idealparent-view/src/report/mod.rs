//! The report page of a network: graph, densities and data, search, missing values and hidden
//! variables.
//!
//! The page is a self-contained file. Its scripts and styles are part of this crate and embedded in
//! the page.

mod command;
mod content;
mod files;
mod formula;
mod rankings;
mod steps;
mod values;

use idealparent::{Network, Result, Table};
use serde_json::Value;

use crate::markup::escape_shown;

pub use command::command_line;
pub use files::{check_trace, read_bootstrap, read_trace};

/// Scripts of the page, in the order in which they are concatenated.
const SCRIPTS: [&str; 11] = [
    include_str!("page/base.js"),
    include_str!("page/layout.js"),
    include_str!("page/charts.js"),
    include_str!("page/graph.js"),
    include_str!("page/family.js"),
    include_str!("page/search.js"),
    include_str!("page/candidates.js"),
    include_str!("page/missing.js"),
    include_str!("page/hidden.js"),
    include_str!("page/summary.js"),
    include_str!("page/main.js"),
];
const STYLE: &str = include_str!("page/style.css");
const FRAME: &str = include_str!("page/frame.html");

/// An edge of a bootstrap, with the names of its variables.
#[derive(Clone, Debug, PartialEq)]
pub struct BootstrapEdge {
    /// Name of the parent.
    pub from: String,
    /// Name of the child.
    pub to: String,
    /// Share of the networks that join the two variables.
    pub strength: f64,
    /// Share of those in which the edge points this way.
    pub direction: f64,
}

/// The contents of a report page.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The network to show.
    pub network: &'a Network,
    /// Data to show: those the network was learned from, or others with the same variables.
    pub table: Option<&'a Table>,
    /// Lines of the trace of the run that learned the network; may be empty.
    pub trace: Vec<Value>,
    /// Edges of a bootstrap; may be empty.
    pub bootstrap: Vec<BootstrapEdge>,
    /// Title of the page.
    pub title: String,
    /// The command that repeats the run; may be empty.
    pub command: String,
    /// Notes and warnings to show on the page.
    pub notes: Vec<String>,
}

impl Report<'_> {
    /// The page as HTML. The same report always gives the same bytes.
    pub fn html(&self) -> Result<String> {
        let content = content::content(self)?.to_string();
        // Escaped so that no name can close the script element of the content or open another.
        let content = content
            .replace('<', "\\u003c")
            .replace('\u{2028}', "\\u2028")
            .replace('\u{2029}', "\\u2029");
        let title = escape_shown(&self.title);
        let script = SCRIPTS.concat();
        let mut page = String::with_capacity(content.len() + script.len() + STYLE.len() + 4096);
        let mut rest = FRAME;
        for (mark, part) in [
            ("{{title}}", title.as_str()),
            ("{{style}}", STYLE),
            ("{{content}}", content.as_str()),
            ("{{script}}", script.as_str()),
        ] {
            let (before, after) = rest.split_once(mark).expect("the marks are in this order");
            page.push_str(before);
            page.push_str(part);
            rest = after;
        }
        page.push_str(rest);
        Ok(page)
    }
}
