//! Accounts at cloud providers, repositories of code, packages of apps.

use super::cursor::{Below, Cursor};
use super::{Reader, kind_and_name};
use crate::draft::{Account, App, Commit, Forge, Interface, Listing, Repository, Setting, Store, System};
use crate::problem::Fault;
use ambit_model::Kind;

/// A key that protects nothing, for accounts that sign with one.
const KEY: &str = include_str!("../pki/account_key.pem");

const ACCOUNT_WORDS: &str = "of, secret, setting, list, shown, answers, holds";
const REPOSITORY_WORDS: &str = "of, private, commit, writes, removes";
const FORGE_WORDS: &str = "of, website, member, fork, token";
const APP_WORDS: &str = "of, apk, signed, says, member, opens, named, store, by, site, released, mirrored";

impl Reader {
    pub(super) fn account(&mut self, cursor: &mut Cursor<'_>, below: &mut Below<'_>) -> Result<(), Fault> {
        let provider = cursor.word("a provider such as aws, azure, gcp or hetzner")?.to_owned();
        let title = cursor.word("what the account is called")?.to_owned();
        let key = format!("{provider} {title}");
        self.once(cursor, format!("account {key}"))?;
        let mut account = Account { line: cursor.line, provider, title, ..Account::default() };
        cursor.read_into(&mut account, below, account_words)?;
        self.draft().accounts.insert(key, account);
        Ok(())
    }

    pub(super) fn repository(&mut self, cursor: &mut Cursor<'_>, below: &mut Below<'_>) -> Result<(), Fault> {
        let (key, host, path) = place(cursor)?;
        self.once(cursor, format!("repository {key}"))?;
        let mut repository =
            Repository { line: cursor.line, org: String::new(), host, path, commits: Vec::new(), private: false };
        cursor.read_into(&mut repository, below, repository_words)?;
        self.draft().repositories.insert(key, repository);
        Ok(())
    }

    pub(super) fn forge(&mut self, cursor: &mut Cursor<'_>, below: &mut Below<'_>) -> Result<(), Fault> {
        let (kind, key) = code_account(cursor)?;
        self.once(cursor, format!("forge {key}"))?;
        let title = cursor.next_quoted().unwrap_or_default().to_owned();
        let mut forge = Forge {
            line: cursor.line,
            org: String::new(),
            kind,
            title,
            website: String::new(),
            members: Vec::new(),
            forks: Vec::new(),
            token: None,
        };
        cursor.read_into(&mut forge, below, forge_words)?;
        self.draft().forges.insert(key, forge);
        Ok(())
    }

    pub(super) fn app(&mut self, cursor: &mut Cursor<'_>, below: &mut Below<'_>) -> Result<(), Fault> {
        let system = cursor.choice(&[("android", System::Android), ("ios", System::Ios)])?;
        let word = cursor.word("a name such as org.example.app")?;
        let kind = if system == System::Ios { Kind::IosApp } else { Kind::AndroidApp };
        let id = kind.canonical(word).map_err(|invalid| cursor.fault(invalid.why))?;
        let key = format!("{} {id}", if system == System::Ios { "ios" } else { "android" });
        self.once(cursor, format!("app {key}"))?;
        let title = cursor.next_quoted().unwrap_or_default().to_owned();
        let mut app = App {
            line: cursor.line,
            org: String::new(),
            system,
            id,
            title,
            says: Vec::new(),
            members: Vec::new(),
            apk: false,
            signed: None,
            opens: Vec::new(),
            named: Vec::new(),
            listings: Vec::new(),
            mirrored: false,
        };
        cursor.read_into(&mut app, below, app_words)?;
        self.draft().apps.insert(key, app);
        Ok(())
    }
}

fn account_words(account: &mut Account, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    while let Some(word) = cursor.next() {
        match word {
            "of" => account.org = cursor.word("an organisation's key")?.to_owned(),
            "secret" => {
                let name = cursor.word("a secret's name")?.to_owned();
                let secret = match cursor.word("the secret, or @rsa")? {
                    "@rsa" => KEY,
                    secret => secret,
                };
                account.secrets.insert(name, secret.to_owned());
            }
            "setting" => {
                let name = cursor.word("a setting's name")?.to_owned();
                account.settings.insert(name, Setting::Text(cursor.word("the setting")?.to_owned()));
            }
            "list" => {
                let name = cursor.word("a setting's name")?.to_owned();
                account.settings.insert(name, Setting::List(cursor.rest("what it lists")?));
            }
            "shown" => account.shown = cursor.word("what a header of each request holds")?.to_owned(),
            "answers" => account.answers.push(interface(cursor)?),
            "holds" => account.holds.push(kind_and_name(cursor)?),
            _ => return Err(cursor.unknown(ACCOUNT_WORDS)),
        }
    }
    Ok(())
}

/// `HOST [when TEXT]… [by TEXT] [freely] [before SPAN] [status N] [header NAME TEXT]… xml|json "BODY"`.
fn interface(cursor: &mut Cursor<'_>) -> Result<Interface, Fault> {
    let host = cursor.host_name(false)?;
    let mut interface = Interface { host, status: 200, ..Interface::default() };
    loop {
        match cursor.word("when, by, freely, before, status, header, xml or json")? {
            "by" => interface.by = Some(cursor.word("what a header of the request holds")?.to_owned()),
            "when" => interface.when.push(cursor.word("what target or body of the request hold")?.to_owned()),
            "freely" => interface.freely = true,
            "before" => interface.before = Some(cursor.duration()?),
            "status" => interface.status = cursor.status()?,
            "header" => {
                let name = cursor.header_name()?;
                interface.headers.push((name, cursor.word("what the header says")?.to_owned()));
            }
            "xml" => {
                interface.media = "text/xml";
                interface.body = cursor.word("the answer")?.to_owned();
                return Ok(interface);
            }
            "json" => {
                interface.media = "application/json";
                // JSON in a quoted word would be all backslashes.
                interface.body = cursor.word("the answer")?.replace('\'', "\"");
                if serde_json::from_str::<serde_json::Value>(&interface.body).is_err() {
                    return Err(cursor.fault("no JSON; write ' for each \" of it"));
                }
                return Ok(interface);
            }
            _ => return Err(cursor.unknown("when, by, freely, before, status, header, xml, json")),
        }
    }
}

/// The canonical URL of a repository, its host and its path.
pub(super) fn place(cursor: &mut Cursor<'_>) -> Result<(String, String, String), Fault> {
    let word = cursor.word("a URL such as https://github.com/example/app")?;
    let (_, name) = Kind::of_repository(word).ok_or_else(|| cursor.fault("no URL of a repository"))?;
    let parts = name.strip_prefix("https://").and_then(|rest| rest.split_once('/'));
    let (authority, path) = parts.ok_or_else(|| cursor.fault("a repository of a world is at an https URL"))?;
    let host = authority.strip_suffix(":443").unwrap_or(authority).to_owned();
    if host.contains(':') {
        return Err(cursor.fault("a repository of a world is on port 443"));
    }
    let path = format!("/{}", path.strip_suffix(".git").unwrap_or(path));
    Ok((name, host, path))
}

/// The kind and canonical URL of an account at a forge.
pub(super) fn code_account(cursor: &mut Cursor<'_>) -> Result<(Kind, String), Fault> {
    let word = cursor.word("a URL such as https://github.com/example")?;
    let account = Kind::of_code(word).filter(|(kind, _)| Kind::CODE_ACCOUNTS.contains(kind));
    account.ok_or_else(|| cursor.fault("no account at github.com, gitlab.com, codeberg.org or bitbucket.org"))
}

fn forge_words(forge: &mut Forge, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    while let Some(word) = cursor.next() {
        match word {
            "of" => forge.org = cursor.word("an organisation's key")?.to_owned(),
            "website" => forge.website = cursor.word("a URL")?.to_owned(),
            "member" => forge.members.push(cursor.word("a member's name")?.to_owned()),
            "fork" => forge.forks.push(cursor.word("a repository's name")?.to_owned()),
            "token" => forge.token = Some(cursor.word("what shows who asks")?.to_owned()),
            _ => return Err(cursor.unknown(FORGE_WORDS)),
        }
    }
    Ok(())
}

fn repository_words(repository: &mut Repository, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    while let Some(word) = cursor.next() {
        match word {
            "of" => repository.org = cursor.word("an organisation's key")?.to_owned(),
            "private" => repository.private = true,
            "commit" => {
                let at = cursor.moment()?;
                let message = cursor.word("the message")?.to_owned();
                let author = cursor.next_quoted().unwrap_or("Dev <dev@example.test>").to_owned();
                repository.commits.push(Commit { message, author, at, files: Vec::new() });
            }
            "writes" => {
                let path = path(cursor)?;
                let text = cursor.word("what the file holds")?.to_owned();
                last(repository, cursor)?.files.push((path, Some(text)));
            }
            "removes" => {
                let path = path(cursor)?;
                last(repository, cursor)?.files.push((path, None));
            }
            _ => return Err(cursor.unknown(REPOSITORY_WORDS)),
        }
    }
    Ok(())
}

fn path(cursor: &mut Cursor<'_>) -> Result<String, Fault> {
    let path = cursor.word("a path")?;
    if path.split('/').any(|part| matches!(part, "" | "." | ".." | ".git")) {
        return Err(cursor.fault("no path such as src/main.py"));
    }
    Ok(path.to_owned())
}

fn last<'a>(repository: &'a mut Repository, cursor: &Cursor<'_>) -> Result<&'a mut Commit, Fault> {
    repository.commits.last_mut().ok_or_else(|| cursor.fault("it stands below a `commit` line"))
}

fn listing<'a>(app: &'a mut App, cursor: &Cursor<'_>) -> Result<&'a mut Listing, Fault> {
    app.listings.last_mut().ok_or_else(|| cursor.fault("it stands behind a `store`"))
}

fn app_words(app: &mut App, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    while let Some(word) = cursor.next() {
        match word {
            "of" => app.org = cursor.word("an organisation's key")?.to_owned(),
            "apk" if app.system == System::Android => app.apk = true,
            "signed" if app.apk => app.signed = Some(cursor.word("who signs it")?.to_owned()),
            "apk" | "signed" => return Err(cursor.fault("an APK is an app for Android, and signed behind `apk`")),
            "says" => {
                let path = cursor.word("a path such as application/debuggable")?.to_owned();
                app.says.push((path, cursor.word("what it says")?.to_owned()));
            }
            "opens" => app.opens.push(cursor.host_name(false)?),
            "named" => app.named.push(cursor.host_name(false)?),
            "store" => {
                let stores = Store::ALL.into_iter().filter(|store| store.system() == app.system);
                let stores: Vec<(&str, Store)> = stores.map(|store| (store.name(), store)).collect();
                let store = cursor.choice(&stores)?;
                app.listings.push(Listing { store, developer: String::new(), site: None, released: None });
            }
            "by" => listing(app, cursor)?.developer = cursor.word("who makes it")?.to_owned(),
            "site" => listing(app, cursor)?.site = Some(cursor.word("a URL")?.to_owned()),
            "released" => listing(app, cursor)?.released = Some(cursor.word("a date")?.to_owned()),
            "mirrored" => app.mirrored = true,
            "member" => {
                let path = path(cursor)?;
                app.members.push((path, cursor.word("what it holds")?.to_owned()));
            }
            _ => return Err(cursor.unknown(APP_WORDS)),
        }
    }
    Ok(())
}
