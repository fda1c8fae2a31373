//! Tests of the door over an internet in the test itself: scripted peers, a clock that jumps, no socket. Live sockets
//! only against this process.

mod browser;
mod certificates;
mod clock;
mod dns;
mod garbage;
mod grants;
mod http;
mod keep;
mod live;
mod outages;
mod rate;
mod script;
mod tcp;
mod tls;
mod udp;
mod wire;
