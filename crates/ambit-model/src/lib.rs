//! The nouns of Ambit and their rules.
