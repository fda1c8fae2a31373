//! What an organisation has elsewhere than on addresses of its own: accounts at cloud providers, buckets, repositories
//! of code, packages of apps.

use super::Moment;
use ambit_model::Kind;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::time::Duration;

/// An account at a cloud provider, told by the answers of its interfaces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    pub line: usize,
    pub org: String,
    /// The provider: `aws`, `azure`, `gcp`, or the name of another.
    pub provider: String,
    /// What people call it.
    pub title: String,
    /// What opens it.
    pub secrets: BTreeMap<String, String>,
    /// Of its integration: texts, and lists of texts.
    pub settings: BTreeMap<String, Setting>,
    /// What a header of each request holds that may be answered.
    pub shown: String,
    /// The first that fits a request answers it.
    pub answers: Vec<Interface>,
    /// What stands in it.
    pub holds: Vec<(Kind, String)>,
}

/// What a setting says.
#[derive(Clone, Debug)]
pub(crate) enum Setting {
    Text(String),
    List(Vec<String>),
}

/// One answer of an interface.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interface {
    pub host: String,
    /// What target or body of the request hold, each of these.
    pub when: Vec<String>,
    /// A text in a header of the request, in addition to what every request of the account shows.
    pub by: Option<String>,
    /// Requests need no authentication.
    pub freely: bool,
    /// It answers so for this long from the beginning.
    pub before: Option<Duration>,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub media: &'static str,
    pub body: String,
}

/// A repository of code, at its URL without `.git`.
#[derive(Clone, Debug)]
pub(crate) struct Repository {
    pub line: usize,
    pub org: String,
    pub host: String,
    /// Begins with `/`.
    pub path: String,
    /// The branch `main`, the oldest first.
    pub commits: Vec<Commit>,
    /// Only who shows the token of the account may read it.
    pub private: bool,
}

impl Repository {
    /// The URL without `.git`.
    pub(crate) fn url(&self) -> String {
        format!("https://{}{}", self.host, self.path)
    }
}

/// A repository that was checked out among what a site serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Checkout {
    /// The key of the repository.
    pub url: String,
    pub layout: Layout,
}

/// How the objects of a checkout lie there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Each in a file of its own.
    Loose,
    /// All in a pack.
    Packed,
    /// Each unpacks to more than anybody takes.
    Bombs,
    /// Neither the pack nor an object has the hash that it is named by.
    Forged,
}

impl Layout {
    pub(crate) const ALL: &'static [(&'static str, Self)] =
        &[("loose", Self::Loose), ("packed", Self::Packed), ("bombs", Self::Bombs), ("forged", Self::Forged)];
}

/// An account at a forge of code.
#[derive(Clone, Debug)]
pub(crate) struct Forge {
    pub line: usize,
    pub org: String,
    pub kind: Kind,
    /// What people call it.
    pub title: String,
    pub website: String,
    /// Names of accounts at the same forge.
    pub members: Vec<String>,
    /// Names of repositories that are copies of somebody else's.
    pub forks: Vec<String>,
    /// What shows what not everybody sees; the run has an integration with it.
    pub token: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Commit {
    pub message: String,
    /// Name and address.
    pub author: String,
    pub at: Moment,
    /// Paths with what they hold from now on; `None`: nothing.
    pub files: Vec<(String, Option<String>)>,
}

/// The package of an app.
#[derive(Clone, Debug)]
pub(crate) struct App {
    pub line: usize,
    pub org: String,
    pub system: System,
    /// `org.example.app`.
    pub id: String,
    pub title: String,
    /// What its manifest or property list says: a path of names between slashes, and a text.
    pub says: Vec<(String, String)>,
    /// Further members: path and text.
    pub members: Vec<(String, String)>,
    /// For Android: an APK, and not a bundle.
    pub apk: bool,
    /// Who signed it.
    pub signed: Option<String>,
    /// Hosts whose links open it, as it says.
    pub opens: Vec<String>,
    /// Hosts that declare it as theirs.
    pub named: Vec<String>,
    /// The stores that have it.
    pub listings: Vec<Listing>,
    /// Nobody gives its package to a run: who has it is a mirror.
    pub mirrored: bool,
}

/// An app in a store.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub store: Store,
    /// Who makes it, as the store says.
    pub developer: String,
    /// The site of who makes it.
    pub site: Option<String>,
    /// When its version was released.
    pub released: Option<String>,
}

/// A store of apps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    Apple,
    FDroid,
    GooglePlay,
}

impl Store {
    pub(crate) const ALL: [Self; 3] = [Self::Apple, Self::FDroid, Self::GooglePlay];

    /// What a file calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Apple => "apple_app_store",
            Self::FDroid => "f_droid",
            Self::GooglePlay => "google_play",
        }
    }

    /// Where it is asked.
    pub(crate) fn host(self) -> &'static str {
        match self {
            Self::Apple => "itunes.apple.com",
            Self::FDroid => "f-droid.org",
            Self::GooglePlay => "play.google.com",
        }
    }

    /// The system whose apps it has.
    pub(crate) fn system(self) -> System {
        match self {
            Self::Apple => System::Ios,
            Self::FDroid | Self::GooglePlay => System::Android,
        }
    }
}

/// What an app runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Android,
    Ios,
}

impl App {
    pub(crate) fn kind(&self) -> Kind {
        match self.system {
            System::Android => Kind::AndroidApp,
            System::Ios => Kind::IosApp,
        }
    }

    /// What its manifest or property list says at a path.
    pub(crate) fn said(&self, wanted: &str) -> Option<&str> {
        self.says.iter().rev().find(|(path, _)| path == wanted).map(|(_, text)| text.as_str())
    }

    /// Its version, for people.
    pub(crate) fn version(&self) -> Option<&str> {
        match self.system {
            System::Android => self.said("versionName"),
            System::Ios => self.said("CFBundleShortVersionString"),
        }
    }

    /// The number of its version.
    pub(crate) fn version_code(&self) -> &str {
        self.said("versionCode").unwrap_or("1")
    }

    /// The number that Apple gave to who makes it.
    pub(crate) fn team(&self) -> String {
        let digits = Sha256::digest(self.org.as_bytes()).iter().map(|byte| format!("{byte:02X}")).collect::<String>();
        digits[..10].to_owned()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    pub line: usize,
    pub storage: Storage,
    pub name: String,
    pub org: String,
    pub access: Access,
    pub keys: Vec<String>,
    pub hidden: bool,
    /// Of S3: the region in which it lies. Without one it answers wherever it is asked.
    pub region: Option<String>,
}

impl Bucket {
    /// The host of a bucket of S3 in a region, or in none.
    pub(crate) fn s3_host(&self, region: Option<&str>) -> String {
        let region = region.map(|region| format!(".{region}")).unwrap_or_default();
        format!("{}.s3{region}.amazonaws.com", self.name)
    }
}

/// Which provider keeps a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    S3,
    Gcs,
    Azure,
    /// A Realtime Database of Firebase, by the name of its host, with the region for one elsewhere than in the United
    /// States.
    Database,
    /// The documents of a project of Firebase.
    Firestore,
    /// A bucket of a project of Firebase, by the rules of Firebase.
    FirebaseFiles,
}

/// Who may read a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Anyone may list and read it.
    Listed,
    /// Anyone who knows a key may read it.
    Open,
    Closed,
}
