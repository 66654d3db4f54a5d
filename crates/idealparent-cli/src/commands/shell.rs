//! `idealparent completions`, `man` and `options`, generated from the definitions of the arguments.

use std::io;

use clap_mangen::Man;
use idealparent::internal::OptionGroup;
use idealparent::{Error, LearnOptions, ReadOptions, Result};
use serde_json::{Value, json};

use super::Outcome;
use crate::args::{CompletionsArgs, ManArgs, show_all};
use crate::{output, usage};

/// Writes a shell completion script.
pub fn completions(args: &CompletionsArgs) -> Result<Outcome> {
    show_all();
    let mut script = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut usage::command(),
        "idealparent",
        &mut script,
    );
    output::write_bytes(args.output.as_deref(), &script)?;
    Ok(Outcome::Done)
}

/// Prints the program's manual page, or writes the pages of all commands to a folder.
pub fn man(args: &ManArgs) -> Result<Outcome> {
    show_all();
    let mut command = usage::command();
    command.build();
    let page = |command: clap::Command| -> Result<Vec<u8>> {
        let mut text = Vec::new();
        let rendered = Man::new(command).render(&mut text);
        rendered.map_err(|error| Error::io("<man>", error))?;
        Ok(text)
    };
    let Some(folder) = &args.output else {
        output::write_bytes(None, &page(command)?)?;
        return Ok(Outcome::Done);
    };
    let failed = |error| Error::io(folder.display().to_string(), error);
    if folder.exists() && !folder.is_dir() {
        let problem = "this is a file; name a folder instead";
        return Err(failed(io::Error::other(problem)));
    }
    std::fs::create_dir_all(folder).map_err(failed)?;
    let is_shown = |part: &&clap::Command| part.get_name() != "help" && !part.is_hide_set();
    for part in command.get_subcommands().filter(is_shown) {
        let name = format!("idealparent-{}", part.get_name());
        let part = part.clone().display_name(&name);
        let path = folder.join(format!("{name}.1"));
        output::write_bytes(Some(&path), &page(part)?)?;
    }
    output::write_bytes(Some(&folder.join("idealparent.1")), &page(command)?)?;
    Ok(Outcome::Done)
}

/// Prints all options of the library as JSON.
pub fn options() -> Result<Outcome> {
    let learn: Vec<Value> = LearnOptions::specs().iter().map(|o| o.describe()).collect();
    let read: Vec<Value> = ReadOptions::specs().iter().map(|o| o.describe()).collect();
    let groups: Vec<&str> = OptionGroup::ALL.iter().map(|group| group.title()).collect();
    let all = json!({"groups": groups, "learn": learn, "read": read});
    output::print(&format!("{all:#}\n"))?;
    Ok(Outcome::Done)
}
