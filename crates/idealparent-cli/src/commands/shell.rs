//! `idealparent completions` and `idealparent man`: both from the definitions of the arguments.

use clap::CommandFactory;
use clap_mangen::Man;
use idealparent::{Error, Result};

use super::Outcome;
use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::output;

/// What a shell needs to complete words of the command.
pub fn completions(args: &CompletionsArgs) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "idealparent", &mut script);
    output::write_bytes(args.output.as_deref(), &script)?;
    Ok(Outcome::Done)
}

/// Manual pages: the command's on standard output, or all of them in a folder.
pub fn man(args: &ManArgs) -> Result<Outcome> {
    let mut command = Cli::command();
    command.build();
    let page = |command: clap::Command| -> Result<Vec<u8>> {
        let mut text = Vec::new();
        let drawn = Man::new(command).render(&mut text);
        drawn.map_err(|error| Error::io("<man>", error))?;
        Ok(text)
    };
    let Some(folder) = &args.output else {
        output::write_bytes(None, &page(command)?)?;
        return Ok(Outcome::Done);
    };
    let failed = |error| Error::io(folder.display().to_string(), error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    for part in command
        .get_subcommands()
        .filter(|part| part.get_name() != "help")
    {
        let name = format!("idealparent-{}", part.get_name());
        let part = part.clone().display_name(&name);
        let path = folder.join(format!("{name}.1"));
        output::write_bytes(Some(&path), &page(part)?)?;
    }
    output::write_bytes(Some(&folder.join("idealparent.1")), &page(command)?)?;
    Ok(Outcome::Done)
}
