//! A text inside a package.

/// A text inside a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The member of the package that contains it.
    pub path: &'a str,
    /// The text, or the readable parts of a program, a line each.
    pub text: &'a str,
}
