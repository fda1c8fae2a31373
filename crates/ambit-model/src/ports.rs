//! Lists of TCP ports that a person asks for: how they are written, and which ports are the most common ones. Pure.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The ports to which a browser goes by itself.
pub const BROWSER: [u16; 2] = [80, 443];

/// Ports of services that we recognise, or that administrators move services to; the ones most often open first.
pub const COMMON: &[u16] = &[
    443, 80, 22, 21, 25, 8080, 3389, 23, 53, 445, 8443, 110, 143, 993, 995, 587, 465, 3306, 139, 135, 111, 5900, 8000,
    8888, 1723, 5432, 2222, 8081, 8008, 1433, 2082, 2083, 2086, 2087, 2095, 2096, 5060, 6379, 9200, 27017, 11211, 5985,
    3000, 9000, 9090, 10000, 389, 636, 5000, 5001, 8082, 8083, 8088, 8090, 9443, 4443, 7443, 10443, 81, 82, 88, 113,
    179, 444, 512, 513, 514, 515, 548, 554, 631, 873, 990, 992, 1080, 1099, 1194, 1434, 1521, 1883, 2000, 2049, 2121,
    2181, 2323, 2375, 2376, 2379, 2525, 3001, 3128, 3260, 3268, 3307, 3690, 4000, 4200, 4369, 4444, 4567, 4848, 4899,
    5044, 5061, 5222, 5269, 5433, 5555, 5601, 5632, 5671, 5672, 5800, 5901, 5938, 5984, 5986, 6000, 6380, 6443, 6667,
    7000, 7001, 7002, 7070, 7077, 7474, 7547, 7777, 8001, 8009, 8010, 8020, 8086, 8089, 8161, 8181, 8200, 8222, 8333,
    8444, 8500, 8530, 8545, 8686, 8728, 8834, 8880, 8883, 8983, 9001, 9042, 9043, 9060, 9080, 9091, 9092, 9093, 9100,
    9160, 9300, 9418, 9600, 9876, 9981, 9990, 9999, 10001, 10051, 10250, 11214, 12345, 15672, 16010, 18080, 20000,
    22222, 25565, 26, 26379, 27018, 28017, 30000, 32400, 37777, 44818, 47808, 49152, 50000, 50070, 54321, 55672, 60000,
    61613, 61616, 62078, 79, 222, 502, 800, 843, 102, 1911, 2022, 2377, 2380, 2404, 4646, 4786, 4840, 5678, 6333, 7687,
    7860, 8006, 8085, 8091, 8123, 8140, 8265, 8291, 8501, 8529, 8787, 10255, 11434, 16379,
];
/// Ranges of one list at most: more than people write, and some kilobytes of text.
const RANGES_MAX: usize = 1_024;
/// How the list is written, for refusals.
const EXPECTED: &str = "expected ports such as 80,443,8000-8100, or top:100, or all";

/// A list of TCP ports, without port 0; never empty. It is written `22,80,8000-8100`, and read from `top:100` and
/// `all` as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortList(Vec<RangeInclusive<u16>>);

impl PortList {
    /// Returns every port.
    pub fn all() -> Self {
        Self(vec![1..=u16::MAX])
    }

    /// Returns the most common ports. Beyond those of [`COMMON`] the lowest numbers come first. Fails on a number that
    /// is 0 or larger than there are ports.
    pub fn top(count: usize) -> Result<Self, String> {
        if count == 0 || count > usize::from(u16::MAX) {
            return Err(format!("expected a number from 1 to {}, or all", u16::MAX));
        }
        let rest = (1..=u16::MAX).filter(|port| !COMMON.contains(port));
        Ok(Self::of(COMMON.iter().copied().chain(rest).take(count).map(|port| port..=port).collect()))
    }

    /// Sorts ranges and joins those that meet.
    fn of(mut ranges: Vec<RangeInclusive<u16>>) -> Self {
        ranges.sort_by_key(|range| *range.start());
        let mut joined: Vec<RangeInclusive<u16>> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if *range.start() <= last.end().saturating_add(1) => {
                    *last = *last.start()..=*last.end().max(range.end());
                }
                _ => joined.push(range),
            }
        }
        Self(joined)
    }

    /// Returns the ports, ascending.
    pub fn ports(&self) -> Vec<u16> {
        self.0.iter().cloned().flatten().collect()
    }

    /// Returns how many ports there are.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|range| u64::from(range.end() - range.start()) + 1).sum()
    }
}

impl fmt::Display for PortList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (range, index) in self.0.iter().zip(0..) {
            let comma = if index == 0 { "" } else { "," };
            match (range.start(), range.end()) {
                (one, same) if one == same => write!(f, "{comma}{one}")?,
                (from, to) => write!(f, "{comma}{from}-{to}")?,
            }
        }
        Ok(())
    }
}

impl FromStr for PortList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("all") {
            return Ok(Self::all());
        }
        if let Some(count) = text.strip_prefix("top:") {
            return Self::top(count.trim().parse().map_err(|_| EXPECTED.to_owned())?);
        }
        let ranges = text.split(',').map(|part| range(part.trim())).collect::<Result<Vec<_>, _>>()?;
        if ranges.len() > RANGES_MAX {
            return Err(format!("more than {RANGES_MAX} ports and ranges: write ranges, or all"));
        }
        Ok(Self::of(ranges))
    }
}

/// One port, or two with a hyphen between them.
fn range(part: &str) -> Result<RangeInclusive<u16>, String> {
    let (from, to) = part.split_once('-').unwrap_or((part, part));
    let port = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse::<u64>() {
            Ok(number) if digits => u16::try_from(number)
                .ok()
                .filter(|port| *port > 0)
                .ok_or_else(|| format!("{text} is no port: ports are numbers from 1 to {}", u16::MAX)),
            _ => Err(EXPECTED.to_owned()),
        }
    };
    let (from, to) = (port(from.trim())?, port(to.trim())?);
    if from > to {
        return Err(format!("the range {from}-{to} is backwards"));
    }
    Ok(from..=to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_list_has_one_spelling() {
        for (text, spelled, count) in [
            ("443", "443", 1),
            (" 443, 80 ,443", "80,443", 2),
            ("8000-8100,8050-8200,8201", "8000-8201", 202),
            ("1-65535", "1-65535", 65_535),
            ("all", "1-65535", 65_535),
            ("top:3", "22,80,443", 3),
            ("top:65535", "1-65535", 65_535),
        ] {
            let list: PortList = text.parse().unwrap();
            assert_eq!((list.to_string().as_str(), list.count()), (spelled, count), "{text}");
            assert_eq!(list.ports().len() as u64, count, "{text}");
            assert_eq!(list.to_string().parse(), Ok(list), "{text}");
        }
    }

    #[test]
    fn what_is_no_list_is_refused_with_the_reason() {
        for (text, why) in [
            ("", EXPECTED),
            ("http", EXPECTED),
            ("80,,443", EXPECTED),
            ("+80", EXPECTED),
            ("80-", EXPECTED),
            ("top:x", EXPECTED),
            ("top:0", "expected a number from 1 to 65535, or all"),
            ("top:65536", "expected a number from 1 to 65535, or all"),
            ("0", "0 is no port: ports are numbers from 1 to 65535"),
            ("70000", "70000 is no port: ports are numbers from 1 to 65535"),
            ("90-80", "the range 90-80 is backwards"),
        ] {
            assert_eq!(text.parse::<PortList>(), Err(why.to_owned()), "{text:?}");
        }
        let many: Vec<String> = (1..=1_025).map(|half| (half * 2).to_string()).collect();
        assert!(many.join(",").parse::<PortList>().unwrap_err().contains("1024"));
    }

    #[test]
    fn common_ports_are_distinct_and_come_before_the_lowest_numbers() {
        let distinct: BTreeSet<u16> = COMMON.iter().copied().collect();
        assert_eq!(distinct.len(), COMMON.len());
        let top = PortList::top(COMMON.len() + 2).unwrap().ports();
        assert!(COMMON.iter().all(|port| top.contains(port)) && top.contains(&1) && top.contains(&2));
    }
}
