//! The command, run as users run it.

mod bootstrap;
mod commands;
mod common;
mod errors;
mod exports;
mod hard_data;
mod hidden;
mod knowledge;
mod learn;
#[cfg(target_os = "linux")]
mod limits;
mod messages;
mod missing;
mod network_files;
mod nonlinear;
mod output;
mod report;
mod reproduce;
mod searches;
#[cfg(unix)]
mod signals;
mod tables;
mod usage;
