//! One page that shows a network: its graph, its densities over the data, how it was found, what is
//! missing and hidden.
//!
//! The page is one file that needs nothing else: scripts and styles are this project's own and lie
//! within it.

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

/// Parts of the page, in the order in which they are put together.
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

/// An edge of a bootstrap, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct BootstrapEdge {
    /// Where it comes from.
    pub from: String,
    /// Where it goes to.
    pub to: String,
    /// Share of the networks that join the two.
    pub strength: f64,
    /// Share of those in which it points this way.
    pub direction: f64,
}

/// What a page is made of.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The network.
    pub network: &'a Network,
    /// Data to show it with: those it was learned from, or others with the same variables.
    pub table: Option<&'a Table>,
    /// Lines of the trace of the run that found it.
    pub trace: Vec<Value>,
    /// Edges of a bootstrap.
    pub bootstrap: Vec<BootstrapEdge>,
    /// What the page is called.
    pub title: String,
    /// The command that repeats the run.
    pub command: String,
    /// Lines that a user should see.
    pub notes: Vec<String>,
}

impl Report<'_> {
    /// The page. The same network and data give the same bytes.
    pub fn html(&self) -> Result<String> {
        let content = content::content(self)?.to_string();
        // No name can end the script that the content is in, or begin another.
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
            let (before, after) = rest.split_once(mark).expect("every mark, in this order");
            page.push_str(before);
            page.push_str(part);
            rest = after;
        }
        page.push_str(rest);
        Ok(page)
    }
}
