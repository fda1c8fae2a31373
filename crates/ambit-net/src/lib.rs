//! The only door to the outside: DNS, TCP, UDP, TLS and HTTP over a wire, under a guard, at a measured pace (design §5).

pub mod wire;
