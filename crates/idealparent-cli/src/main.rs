//! The command `idealparent`.

fn main() {}
