//! The options that the library declares, as arguments of the commands.

use std::marker::PhantomData;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use idealparent::internal::{OptionCommand, OptionKind, OptionSpec, option_word, quoted};
use idealparent::{Error, LearnOptions, ReadOptions, Result};

/// The subset of a struct's options that a command takes.
pub trait Scope {
    /// The struct of options.
    type Options: Default + 'static;

    /// The command; `None` if all options are taken.
    const COMMAND: Option<OptionCommand>;

    /// All options of the struct.
    fn all() -> &'static [OptionSpec<Self::Options>];
}

macro_rules! scope {
    ($(#[$doc:meta])* $scope:ident, $options:ty, $command:expr) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $scope;

        impl Scope for $scope {
            type Options = $options;

            const COMMAND: Option<OptionCommand> = $command;

            fn all() -> &'static [OptionSpec<$options>] {
                <$options>::specs()
            }
        }
    };
}
scope!(
    /// The options of `learn` and `bootstrap`.
    Learning,
    LearnOptions,
    Some(OptionCommand::Learn)
);
scope!(
    /// The options of `cv`, which names its methods with `--methods`.
    Comparing,
    LearnOptions,
    Some(OptionCommand::Cv)
);
scope!(
    /// The options of `fit`.
    Fitting,
    LearnOptions,
    Some(OptionCommand::Fit)
);
scope!(
    /// The options of `score`.
    Scoring,
    LearnOptions,
    Some(OptionCommand::Score)
);
scope!(
    /// The options of `rank`.
    Ranking,
    LearnOptions,
    Some(OptionCommand::Rank)
);
scope!(
    /// The options for reading a table, which every command with a table takes.
    Reading,
    ReadOptions,
    None
);

/// The library's options that were given on the command line.
#[derive(Debug)]
pub struct OptionArgs<S: Scope> {
    /// Name and value of each given option, sorted by group and then by declaration.
    given: Vec<(&'static str, String)>,
    scope: PhantomData<S>,
}

impl<S: Scope> Default for OptionArgs<S> {
    fn default() -> Self {
        OptionArgs {
            given: Vec::new(),
            scope: PhantomData,
        }
    }
}

impl<S: Scope> OptionArgs<S> {
    fn specs() -> impl Iterator<Item = &'static OptionSpec<S::Options>> {
        let is_taken = |spec: &&OptionSpec<_>| S::COMMAND.is_none_or(|of| spec.is_taken_by(of));
        let mut specs: Vec<_> = S::all().iter().filter(is_taken).collect();
        specs.sort_by_key(|spec| spec.group);
        specs.into_iter()
    }

    /// Name and value of each option that was given.
    pub fn given(&self) -> &[(&'static str, String)] {
        &self.given
    }

    /// Whether an option was given.
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(own, _)| *own == name)
    }

    /// Applies the given options. Combinations of options are not checked here.
    pub fn apply(&self, options: &mut S::Options) -> Result<()> {
        for (name, value) in &self.given {
            let spec = S::all().iter().find(|spec| spec.name == *name);
            let spec = spec.expect("a declared option");
            check_exists(spec, value)?;
            spec.set(options, value)?;
        }
        Ok(())
    }

    /// The files that the given options name.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let is_file = |name: &str| {
            let spec = S::all().iter().find(|spec| spec.name == name);
            spec.is_some_and(|spec| spec.kind.is_file())
        };
        let named = self.given.iter().filter(move |(name, _)| is_file(name));
        named.map(|(_, value)| Path::new(value))
    }

    /// The given options as words of a command line.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (name, value) in &self.given {
            words.push(option_word(name));
            let spec = S::all().iter().find(|spec| spec.name == *name);
            if spec.is_some_and(|spec| spec.kind != OptionKind::Flag) {
                words.push(value.clone());
            }
        }
        words
    }
}

/// Returns an error if an option names a file that does not exist. The value may be a list of
/// names by mistake, so the message says what the file holds.
fn check_exists<O>(spec: &OptionSpec<O>, value: &str) -> Result<()> {
    let content = match spec.kind {
        OptionKind::NameFile => "a file with one name per line",
        OptionKind::Edges => "a table with the columns from and to",
        OptionKind::Tiers => "a file with one tier per line",
        OptionKind::Structure => "a network file, or a table with the columns from and to",
        _ => return Ok(()),
    };
    if Path::new(value).try_exists().unwrap_or(true) {
        return Ok(());
    }
    Err(Error::data(format!(
        "{}: there is no file {} (expected {content})",
        option_word(spec.name),
        quoted(value)
    )))
}

/// Whether help texts list every option.
static SHOWS_ALL: AtomicBool = AtomicBool::new(false);

/// From now on help texts list every option, not only the everyday ones.
pub fn show_all() {
    SHOWS_ALL.store(true, Ordering::Relaxed);
}

/// Whether help texts list every option.
pub fn shows_all() -> bool {
    SHOWS_ALL.load(Ordering::Relaxed)
}

fn argument<O: Default>(spec: &OptionSpec<O>) -> Arg {
    let mut help = spec.command_help();
    if let Some(default) = &spec.default {
        help += &format!(" [default: {default}]");
    }
    let mut argument = Arg::new(spec.name)
        .long(spec.name.replace('_', "-"))
        .help(help)
        .help_heading(spec.group.title())
        .hide(!spec.is_everyday && !shows_all());
    for alias in spec.aliases.iter().filter(|alias| alias.len() > 1) {
        argument = argument.alias(alias.replace('_', "-"));
    }
    if let Some(letter) = spec.short {
        argument = argument.short(letter);
    }
    match spec.kind {
        OptionKind::Flag => argument.action(ArgAction::SetTrue),
        OptionKind::Names => argument
            .action(ArgAction::Append)
            .value_name(spec.placeholder),
        _ => argument
            .action(ArgAction::Set)
            .value_name(spec.placeholder)
            .allow_negative_numbers(true),
    }
}

impl<S: Scope> Args for OptionArgs<S> {
    fn augment_args(command: Command) -> Command {
        command.args(Self::specs().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Scope> FromArgMatches for OptionArgs<S> {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let mut found = OptionArgs::default();
        found.update_from_arg_matches(matches)?;
        Ok(found)
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        for spec in Self::specs() {
            match spec.kind {
                OptionKind::Flag if matches.get_flag(spec.name) => {
                    self.given.push((spec.name, "yes".to_string()));
                }
                OptionKind::Flag => {}
                _ => {
                    let values = matches.get_many::<String>(spec.name);
                    let values: Vec<&str> =
                        values.unwrap_or_default().map(String::as_str).collect();
                    if !values.is_empty() {
                        // An option that takes a list may be repeated.
                        self.given.push((spec.name, values.join(",")));
                    }
                }
            }
        }
        Ok(())
    }
}
