//! The macro that declares a struct of options.

/// Declares a struct of options.
///
/// Each option has its documentation, which is also its help text, its name, type and default.
/// After `=>` follow its other properties, as method calls on its
/// [`OptionSpec`](super::OptionSpec).
///
/// The struct implements `Default` and has the functions `specs` (all options, in the order of
/// declaration), `spec` (one option by name), `set` (sets one option by name) and `check` (runs all
/// checks).
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
        // Tests construct options with struct literals.
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
            /// All options, in the order of declaration.
            #[doc(hidden)]
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
                        |options, value| {
                            options.$name = <$type as OptionValue>::restore(value)?;
                            Ok(())
                        },
                    )$(.$method($($argument),*))+
                ),+])
            }

            /// The option of this name, written with `-` or `_`.
            #[doc(hidden)]
            pub fn spec(
                name: &str,
            ) -> $crate::error::Result<&'static $crate::options::OptionSpec<$options>> {
                let mut specs = $options::specs().iter();
                specs.find(|spec| spec.is_called(name)).ok_or_else(|| {
                    let name = $crate::error::quoted(name);
                    $crate::error::Error::options(format!("there is no option {name}"))
                })
            }

            /// Sets an option by name, from text as on a command line.
            pub fn set(&mut self, name: &str, text: &str) -> $crate::error::Result<()> {
                $options::spec(name)?.set(self, text)
            }

            /// Returns an error if a value is invalid, or if values contradict each other.
            pub fn check(&self) -> $crate::error::Result<()> {
                $options::specs().iter().try_for_each(|spec| spec.verify(self))
            }
        }
    };
}
pub(crate) use options;
