//! The macro that declares a struct of options.

/// Declares a struct of options: per option its documentation, which is also its help text, its
/// name, type and default, and after `=>` what else is known about it, as calls on its
/// [`OptionSpec`](super::OptionSpec).
///
/// The struct gets `Default`, `specs()` (all options, in this order), `set` (one option by name),
/// `check` (all checks) and `record` (what belongs into a network file).
macro_rules! options {
    (
        $(#[$struct_meta:meta])*
        pub struct $options:ident {
            $(
                $(#[doc = $doc:literal])+
                $name:ident: $type:ty = $default:expr
                    => $(.$method:ident($($argument:expr),*))+;
            )+
        }
    ) => {
        $(#[$struct_meta])*
        // Tests write options as literals.
        #[cfg_attr(not(feature = "testing"), non_exhaustive)]
        pub struct $options {
            $($(#[doc = $doc])+ pub $name: $type,)+
        }

        impl Default for $options {
            fn default() -> Self {
                $options { $($name: $default,)+ }
            }
        }

        impl $options {
            /// Every option.
            pub fn specs() -> &'static [$crate::options::OptionSpec<$options>] {
                use $crate::options::{OptionSpec, OptionValue};

                static SPECS: std::sync::OnceLock<Vec<OptionSpec<$options>>> =
                    std::sync::OnceLock::new();
                SPECS.get_or_init(|| vec![$(
                    OptionSpec::new::<$type>(
                        stringify!($name),
                        &[$($doc),+],
                        |options: &mut $options, text| {
                            options.$name = <$type as OptionValue>::parse(text)?;
                            Ok(())
                        },
                        |options| <$type as OptionValue>::record(&options.$name),
                    )$(.$method($($argument),*))+
                ),+])
            }

            /// Sets one option by its name, from a word as on a command line.
            pub fn set(&mut self, name: &str, text: &str) -> $crate::error::Result<()> {
                match $options::specs().iter().find(|spec| spec.is_called(name)) {
                    Some(spec) => spec.set(self, text),
                    None => Err($crate::error::Error::Options(format!(
                        "there is no option {}",
                        $crate::error::quoted(name)
                    ))),
                }
            }

            /// Refuses values that make no sense, alone or together.
            pub fn check(&self) -> $crate::error::Result<()> {
                $options::specs().iter().try_for_each(|spec| spec.verify(self))
            }
        }
    };
}
pub(crate) use options;
