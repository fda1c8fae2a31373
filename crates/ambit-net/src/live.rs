//! The live wire: real sockets, the machine's clocks and randomness, its resolvers, the trust roots of browsers.
