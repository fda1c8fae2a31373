//! What tasks are given beside facts: our word list and ports, the probes for exposures, and the data that a user
//! loaded.

use ambit_model::Kind;
use ambit_model::exposure::Probe;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

/// Names for the name sweep, most frequent first: ours.
static WORDS: LazyLock<Arc<[String]>> =
    LazyLock::new(|| include_str!("../words.txt").lines().map(str::to_owned).collect());

/// Ports for the port sweep: those of services that we recognise, or that administrators move services to. Ascending.
pub(crate) const PORTS: &[u16] = &[
    21, 22, 23, 25, 26, 53, 79, 80, 81, 82, 88, 110, 111, 113, 135, 139, 143, 179, 222, 389, 443, 444, 445, 465, 502,
    512, 513, 514, 515, 548, 554, 587, 631, 636, 800, 843, 873, 990, 992, 993, 995, 1080, 1099, 1194, 1433, 1434, 1521,
    1723, 1883, 2000, 2049, 2082, 2083, 2086, 2087, 2095, 2096, 2121, 2181, 2222, 2323, 2375, 2376, 2379, 2525, 3000,
    3001, 3128, 3260, 3268, 3306, 3307, 3389, 3690, 4000, 4200, 4369, 4443, 4444, 4567, 4848, 4899, 5000, 5001, 5044,
    5060, 5061, 5222, 5269, 5432, 5433, 5555, 5601, 5632, 5671, 5672, 5800, 5900, 5901, 5938, 5984, 5985, 5986, 6000,
    6379, 6380, 6443, 6667, 7000, 7001, 7002, 7070, 7077, 7443, 7474, 7547, 7777, 8000, 8001, 8008, 8009, 8010, 8020,
    8080, 8081, 8082, 8083, 8086, 8088, 8089, 8090, 8161, 8181, 8200, 8222, 8333, 8443, 8444, 8500, 8530, 8545, 8686,
    8728, 8834, 8880, 8883, 8888, 8983, 9000, 9001, 9042, 9043, 9060, 9080, 9090, 9091, 9092, 9093, 9100, 9160, 9200,
    9300, 9418, 9443, 9600, 9876, 9981, 9990, 9999, 10000, 10001, 10051, 10250, 10443, 11211, 11214, 12345, 15672,
    16010, 18080, 20000, 22222, 25565, 26379, 27017, 27018, 28017, 30000, 32400, 37777, 44818, 47808, 49152, 50000,
    50070, 54321, 55672, 60000, 61613, 61616, 62078,
];

/// Labels that a user adds at most: what the largest public lists hold, some megabytes.
const ADDED_WORDS_MAX: usize = 1_000_000;

/// What tasks are given beside facts. The default is ours alone: useful with no pack at all.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Labels that the name sweep tries, most frequent first.
    pub words: Arc<[String]>,
    /// Ports that the port sweep tries, ascending.
    pub ports: Arc<[u16]>,
    /// The user's databases of places and networks (MMDB), the first to be asked first; without one the task
    /// `geolocation` does not plan.
    pub geo: Vec<Arc<maxminddb::Reader<Vec<u8>>>>,
    /// What the task `content_focus` looks for. The crate that judges states it, and the binary hands it over; by
    /// default there is nothing to look for.
    pub probes: Vec<&'static Probe>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { words: WORDS.clone(), ports: PORTS.into(), geo: Vec::new(), probes: Vec::new() }
    }
}

impl Settings {
    /// Adds a database of places or networks.
    ///
    /// # Errors
    /// One line that says why the bytes are no MMDB database.
    pub fn add_geo(&mut self, bytes: Vec<u8>) -> Result<(), String> {
        let reader = maxminddb::Reader::from_source(bytes)
            .map_err(|error| format!("is no database of places (MMDB): {error}"))?;
        self.geo.push(Arc::new(reader));
        Ok(())
    }

    /// Adds labels for the name sweep, one a line, behind ours. Empty lines and those that begin with `#` are ignored.
    /// Answers with the numbers of the lines that hold no label.
    ///
    /// # Errors
    /// One line that says which limit the list exceeds.
    pub fn add_words(&mut self, text: &str) -> Result<Vec<usize>, String> {
        let mut known: BTreeSet<String> = self.words.iter().cloned().collect();
        let (mut words, mut refused) = (self.words.to_vec(), Vec::new());
        for (line, number) in text.lines().map(str::trim).zip(1..) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match label(line) {
                Some(word) if known.insert(word.clone()) => words.push(word),
                Some(_) => {}
                None => refused.push(number),
            }
        }
        if words.len() > self.words.len() + ADDED_WORDS_MAX {
            return Err(format!("holds more than {ADDED_WORDS_MAX} labels"));
        }
        self.words = words.into();
        Ok(refused)
    }
}

/// The text as a label, or several, of a host name: `www`, `api.dev`.
fn label(text: &str) -> Option<String> {
    const BELOW: &str = ".acme.test";
    let name = Kind::DnsRecord.canonical(&format!("{text}{BELOW}")).ok()?;
    name.strip_suffix(BELOW).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_labels_stand_behind_ours_once() {
        let ours = Settings::default().words.len();
        let mut settings = Settings::default();
        let refused =
            settings.add_words("# mine\nwww\nZephyr-7\n\n  api.quokka \nnot a label\nzephyr-7\n*.x\n").unwrap();
        assert_eq!(&settings.words[ours..], ["zephyr-7", "api.quokka"]);
        assert_eq!(refused, [6, 8]);
    }

    #[test]
    fn a_file_that_is_no_database_is_refused() {
        let refused = Settings::default().add_geo(b"not a database".to_vec()).unwrap_err();
        assert!(refused.contains("MMDB"), "{refused}");
    }
}
