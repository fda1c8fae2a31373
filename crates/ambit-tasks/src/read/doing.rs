//! Which links announce an action: a walk reads, and presses none of them. Whole words are compared, decoded, in the
//! path and in the query, so that articles about an action are still read. Pure.

use ambit_net::http::Url;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words of a segment that says what is done; longer ones are titles of articles.
const WORDS_MAX: usize = 3;
/// Times that a text is decoded: servers behind others may decode once more.
const DECODED_TIMES: usize = 2;

/// Words that announce an action wherever they stand in a segment, without accents.
static PLAIN: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    words(&[
        // English.
        "activate addtobasket addtocart approve cancel deactivate delete deleteall deregister destroy disable",
        "erase impersonate logoff logout purge reboot reject remove resend reset revoke rollback shutdown signoff",
        "signout subscribe terminate truncate unblock unfollow uninstall unlink unregister unsubscribe",
        // German.
        "abbestellen ablehnen abmelden abmeldung aktivieren ausloggen bestaetigen bestatigen deaktivieren",
        "entfernen freigeben genehmigen kuendigen kundigen loeschen loschen sperren stornieren veroeffentlichen",
        "veroffentlichen widerrufen zuruecksetzen zurucksetzen",
        // French.
        "annuler approuver deconnecter deconnexion desabonner desactiver desinscription desinscrire effacer",
        "refuser reinitialiser resilier supprimer",
        // Spanish and Portuguese.
        "anular apagar aprobar aprovar borrar cancelar cerrarsesion deletar desactivar desativar desconectar",
        "deslogar eliminar excluir rechazar rejeitar restablecer suprimir",
        // Italian.
        "annulla approva cancella cancellare disattiva disconnetti disconnessione disiscriviti elimina eliminare",
        "rifiuta rimuovere rimuovi ripristina svuota",
        // Dutch.
        "afmelden annuleren deactiveren goedkeuren opzeggen uitloggen uitschrijven verwijder verwijderen",
        // Polish, Czech, Slovak, South Slavic.
        "anuluj izbrisi obrisi odhlasit odhlaseni odhlasenie odjava odjavi odrzuc odstranit skasuj smazat ukloni usun",
        "wyczysc wyloguj wylogowanie wypisz zatwierdz zmazat zrusit",
        // Danish, Norwegian, Swedish, Finnish, Hungarian, Romanian, Turkish.
        "avmeld deconectare fjern kijelentkezes kirjauduulos loggaut loggut logud poista radera slett",
        "sterge tabort torles oturumukapat",
        // Other scripts.
        "удалить выйти выход отписаться отменить видалити вийти αποσυνδεση διαγραφη 削除 退会 ログアウト 退出 注销 登出 删除",
        "로그아웃 삭제",
    ])
});
/// Words that denote an action if they stand alone or next to a noun from the list below.
static ALONE: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    words(&[
        // English.
        "accept archive ban block buy clear close confirm decline del deploy dislike downvote drop empty enable",
        "execute exit flush kill like lock mute pay publish purchase redeem refund restart restore rm run send",
        "stop submit toggle transfer trash trigger unlock unpublish upvote vote wipe withdraw",
        // German.
        "abbrechen absenden archivieren beenden bezahlen kaufen leeren senden verwerfen",
        // French.
        "acheter envoyer payer quitter valider vider",
        // Spanish and Portuguese.
        "comprar enviar limpar pagar publicar quitar remover sair salir vaciar",
        // Italian.
        "acquista esci invia paga",
        // Others.
        "betalen cikis iesire kopen kup legen slet verzenden wyslij zaplac",
    ])
});
/// Those of them that are names of things as well: behind what belongs to them, they announce nothing.
static THINGS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    words(&["archive block buy close like lock pay purchase refund run stop transfer trash trigger vote"])
});
/// Parameters that announce an action whatever their value is, beside those that have a word of the first list.
const NAMED: &[&str] = &["confirm", "del", "kill", "rm", "trash", "wipe"];
/// Words that announce an action one behind the other, also in segments that follow each other.
const PAIRS: &[(&str, &str)] = &[
    ("account", "close"),
    ("add", "basket"),
    ("add", "cart"),
    ("add", "wishlist"),
    ("basket", "add"),
    ("cart", "add"),
    ("cerrar", "sesion"),
    ("close", "account"),
    ("encerrar", "sessao"),
    ("end", "session"),
    ("kirjaudu", "ulos"),
    ("log", "off"),
    ("log", "out"),
    ("log", "ud"),
    ("logg", "ut"),
    ("logga", "ut"),
    ("opt", "out"),
    ("order", "place"),
    ("orders", "place"),
    ("place", "order"),
    ("session", "end"),
    ("sessions", "end"),
    ("shut", "down"),
    ("sign", "off"),
    ("sign", "out"),
    ("ta", "bort"),
    ("terminar", "sessao"),
    ("wishlist", "add"),
];
/// Nouns that actions apply to, and words that accompany them.
static OBJECTS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    words(&[
        "access account accounts action admin all app article backup basket bin booking bulk cache caches card",
        "cart comment comments contact cookie cookies data database db device do document email entry event file",
        "files folder force friend group id image invitation invite invoice item items job jobs key keys link log",
        "logs mail mails me member members message messages newsletter node notification notifications now object",
        "offer order page password payment photo plugin post posts process product profile project queue record",
        "request row server service session sessions site subscription system table task tasks team thread ticket",
        "token tokens topic transaction trash user users vote favorites favourites wishlist",
    ])
});
/// Words that say nothing by themselves.
const FILLERS: &[&str] = &["a", "an", "and", "from", "in", "my", "of", "on", "our", "the", "this", "to", "your"];
/// Words of texts about an action.
const ABOUT: &[&str] =
    &["explained", "faq", "guide", "guides", "help", "how", "howto", "instructions", "tips", "tutorial", "uri", "url"];
/// Folders of texts in which words that are ambiguous announce nothing.
const MANUALS: &[&str] = &[
    "documentation",
    "faq",
    "glossary",
    "guide",
    "guides",
    "handbook",
    "help",
    "manual",
    "reference",
    "tutorial",
    "tutorials",
];
/// Endings of programs that pages are made by.
const ENDINGS: &[&str] = &[
    "action", "asp", "aspx", "cfm", "cgi", "do", "htm", "html", "jsf", "json", "jsp", "php", "phtml", "pl", "py",
    "xhtml",
];
/// Parameters whose value says what is searched, or how it is listed.
const SEARCHING: &[&str] = &[
    "category", "filter", "keyword", "keywords", "lang", "language", "name", "order", "orderby", "q", "query", "s",
    "search", "sort", "sortby", "tag", "term", "text", "title", "topic",
];
/// Parameters whose value says what is done.
static ACTIONS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    words(&[
        "a act action button cmd command do event fn func function job method mode op operation",
        "submit task todo verb what",
    ])
});
/// Values of a parameter that only says yes.
const YES: &[&str] = &["", "1", "on", "true", "y", "yes"];

/// Returns the words in these lines.
fn words(lines: &[&'static str]) -> BTreeSet<&'static str> {
    lines.iter().flat_map(|line| line.split(' ')).collect()
}

/// True for a URL that does something when it is asked for.
pub(crate) fn does_something(url: &Url) -> bool {
    let (path, query) = url.path.split_once('?').unwrap_or((&url.path, ""));
    does_in_path(&decoded(path), query.is_empty()) || query.split(['&', ';']).any(does_in_pair)
}

fn does_in_path(path: &str, is_plain: bool) -> bool {
    let segments: Vec<&str> = path.split(['/', ';']).filter(|segment| !segment.is_empty()).collect();
    let names_nothing = is_plain && !segments.iter().any(|segment| segment.bytes().any(|byte| byte.is_ascii_digit()));
    let mut before: Option<String> = None;
    for (number, segment) in segments.iter().enumerate() {
        let phrase = Phrase::of(segment);
        let is_last = number + 1 == segments.len();
        let in_manual = segments[..number].iter().any(|folder| MANUALS.contains(folder));
        let is_text = is_last && names_nothing && (phrase.is_about() || (in_manual && !phrase.is_plain()));
        let reads_archive = phrase.words == ["archive"] && (number == 0 || is_year(segments.get(number + 1)));
        if !is_text && !reads_archive && (phrase.announces() || phrase.has_pair(before.as_deref())) {
            return true;
        }
        before = phrase.words.into_iter().next().filter(|_| phrase.count == 1);
    }
    false
}

fn is_year(segment: Option<&&str>) -> bool {
    segment.is_some_and(|segment| segment.len() == 4 && (segment.starts_with("19") || segment.starts_with("20")))
}

/// A parameter announces an action by its name, or by its value.
fn does_in_pair(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let (name, value) = (decoded(name), decoded(&value.replace('+', " ")));
    let (named, key) = (Phrase::of(&name), name.to_lowercase());
    if !named.is_about() {
        let says_yes = YES.contains(&value.to_lowercase().as_str());
        if named.is_plain() || named.has_pair(None) || (named.is_alone() && says_yes) || NAMED.contains(&&*key) {
            return true;
        }
    }
    if SEARCHING.contains(&key.as_str()) {
        return false;
    }
    let says_what = ACTIONS.contains(key.trim_start_matches('_'));
    let values = value.split('/').map(Phrase::of);
    values
        .filter(|phrase| !phrase.words.is_empty())
        .any(|phrase| phrase.is_plain() || phrase.has_pair(None) || (says_what && phrase.is_alone()))
}

/// The words of a segment, a name or a value, lower case and without accents.
struct Phrase {
    words: Vec<String>,
    /// The number of words, without those that only distinguish one object from another.
    count: usize,
    /// Written as programs write names: `sendMail`.
    is_name: bool,
}

impl Phrase {
    fn of(text: &str) -> Self {
        let mut phrase = Self { words: Vec::new(), count: 0, is_name: false };
        let text: String = text.chars().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter)).collect();
        for token in text.split(|letter: char| !letter.is_alphanumeric()).filter(|token| !token.is_empty()) {
            let parts = parts(token);
            let is_identifier = token.chars().any(char::is_numeric);
            let is_compound = parts.len() > 1;
            phrase.is_name |= is_compound && !is_identifier && token.starts_with(char::is_lowercase);
            let counts = |part: &&String| !is_identifier && (!is_compound || part.chars().count() > 2);
            phrase.count += parts.iter().filter(counts).count();
            phrase.words.extend(parts);
        }
        if phrase.words.len() > 1 && phrase.words.last().is_some_and(|last| ENDINGS.contains(&last.as_str())) {
            phrase.words.pop();
            phrase.count = phrase.count.saturating_sub(1);
        }
        phrase
    }

    fn is_short(&self) -> bool {
        self.count <= WORDS_MAX
    }

    fn is_about(&self) -> bool {
        self.words.iter().any(|word| ABOUT.contains(&word.as_str()))
    }

    fn announces(&self) -> bool {
        self.is_plain() || self.is_alone()
    }

    /// Returns whether a word denotes an action wherever it occurs; a longer text must begin with the word and name its
    /// object.
    fn is_plain(&self) -> bool {
        if self.is_short() {
            return self.words.iter().any(|word| is_plain_word(word));
        }
        let Some((first, rest)) = self.words.split_first() else { return false };
        is_plain_word(first) && rest.iter().all(|word| is_beside(word))
    }

    /// It has nothing but such a word, and what the action is done to.
    fn is_alone(&self) -> bool {
        let is_alone = self.words.len() == 1;
        let begins = |word: &String| self.words.first() == Some(word);
        let is_thing = |word: &String| THINGS.contains(word.as_str()) && !begins(word);
        let is_action = |word: &String| ALONE.contains(word.as_str()) && !is_thing(word);
        let is_said = |word: &String| is_action(word) || is_beside(word);
        let is_named = self.is_name && self.words.first().is_some_and(is_action);
        self.is_short() && (is_named || (self.words.iter().any(is_action) && self.words.iter().all(is_said)))
            || (is_alone && self.words.iter().any(|word| is_joined(word, &ALONE)))
    }

    /// It has two words that announce an action together; or the one that it has does, behind that of the segment
    /// before.
    fn has_pair(&self, before: Option<&str>) -> bool {
        let words = self.words.iter().map(String::as_str).filter(|word| !FILLERS.contains(word));
        let words: Vec<&str> = before.filter(|_| self.words.len() == 1).into_iter().chain(words).collect();
        self.is_short() && words.windows(2).any(|pair| PAIRS.contains(&(pair[0], pair[1])))
    }
}

fn is_beside(word: &str) -> bool {
    OBJECTS.contains(word) || FILLERS.contains(&word) || word.chars().count() == 1
}

fn is_plain_word(word: &str) -> bool {
    PLAIN.contains(word) || is_joined(word, &PLAIN)
}

/// True for such a word that is written together with what it is done to: `deleteaccount`, `userlogout`.
fn is_joined(word: &str, of: &BTreeSet<&str>) -> bool {
    of.iter().any(|action| {
        let rest = word.strip_prefix(action).or_else(|| word.strip_suffix(action));
        rest.is_some_and(|rest| rest.len() > 1 && OBJECTS.contains(rest))
    })
}

/// The runs of letters in a token, one for each that begins with a capital: `removeUser` has two.
fn parts(token: &str) -> Vec<String> {
    let letters: Vec<char> = token.chars().collect();
    let mut parts = Vec::new();
    let mut part = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let is_next_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| before.is_lowercase() || (before.is_uppercase() && is_next_small));
        if (begins || !letter.is_alphabetic()) && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if letter.is_alphabetic() {
            part.extend(letter.to_lowercase().map(without_accent));
        }
    }
    parts.extend((!part.is_empty()).then_some(part));
    parts
}

/// The letter that people write where they have no accents.
fn without_accent(letter: char) -> char {
    const WITH: &[(&str, char)] = &[
        ("àáâãäåāăą", 'a'),
        ("çćč", 'c'),
        ("ďđ", 'd'),
        ("èéêëēęě", 'e'),
        ("ğ", 'g'),
        ("ìíîïīı", 'i'),
        ("ł", 'l'),
        ("ñńň", 'n'),
        ("òóôõöøő", 'o'),
        ("řŕ", 'r'),
        ("śşšș", 's'),
        ("ťţț", 't'),
        ("ùúûüūůű", 'u'),
        ("ýÿ", 'y'),
        ("źżž", 'z'),
        ("ήη", 'η'),
        ("ύ", 'υ'),
    ];
    WITH.iter().find(|(letters, _)| letters.contains(letter)).map_or(letter, |(_, plain)| *plain)
}

/// A text with its `%XX` resolved, whatever the bytes are: those that are no UTF-8 are Latin-1.
pub(super) fn decoded(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..DECODED_TIMES {
        text = decoded_once(&text);
    }
    text
}

pub(super) fn decoded_once(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).filter(|digits| bytes[at] == b'%' && digits.is_ascii());
        let value = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let value = value.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match value.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                plain.push(byte);
                at += 3;
            }
            None => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(plain).unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn all(lines: &[&'static str], does: bool) {
        let wrong: Vec<&str> = words(lines)
            .into_iter()
            .filter(|path| does_something(&Url::parse(&format!("https://app.acme.test{path}")).unwrap()) != does)
            .collect();
        assert!(wrong.is_empty(), "expected {does}: {wrong:#?}");
    }

    #[test]
    fn links_that_announce_an_action_are_told_however_they_are_spelled() {
        all(
            &[
                "/logout /%6cogout /%256cogout /LOGOUT /log-out /logOut /user/signout /sign_out /Logoff.aspx",
                "/wp-login.php?action=logout&_wpnonce=x /a?logout /userlogout /dologout.php /session/end",
                "/session/end?id=1 /del%65te/5 /DELETE/9 /users/7/delete",
                "/delete-5f0c2f9e-7a41-4c52-9d0c-2f6f1c1f7a55 /users/7?action=delete /users/7?_method=DELETE",
                "/deleteAccount /deleteaccount /removeUser?id=3 /user/7/edit?remove=photo /users?do=remove",
                "/posts/destroy/3 /purge /disable?id=2 /admin/reset-password?user=7 /user/7/deactivate",
                "/remove-from-my-wishlist /delete-guide?id=5 /delete-guide/5 /kill /auth/kill?x=1 /in/del",
                "/posts/del/7 /item?del=7 /actuator/shutdown /shutdown /reboot /terminate /stop /exit /erase",
                "/uninstall /wipe /clear /clearCache /flush-cache /trash/7 /mails/empty-trash /revoke?token=1",
                "/block/7 /block-user /reject/7 /approve/7 /posts/3/archive /mails/7/archive /order/place",
                "/orders/place?cart=3 /place-order /cart/add?item=3 /add-to-cart?id=1 /shop?add-to-cart=55",
                "/order/7/cancel /buy?id=1 /transfer?to=1&sum=9 /pay?amount=3 /checkout?confirm=1 /checkout/confirm",
                "/send?to=x /sendMail?to=x /sendmail /items?trash=7 /run?job=1 /execute /admin/restart",
                "/restart-server /invite/accept?t=1 /vote?up=1 /posts/3/like /posts/3/publish /account/close",
                "/newsletter/unsubscribe?u=7 /x?op=logout /x?cmd=run /x?next=/logout /x?a=1;do=delete",
                "/view;action=delete /opt-out /help/7/publish /help/vote?up=1 /help/delete /xmlDelete",
                "/api/%2fdelete%2f7",
            ],
            true,
        );
    }

    #[test]
    fn links_that_announce_an_action_are_told_in_the_languages_of_applications() {
        all(
            &[
                "/account/abmelden /items/loeschen/3 /items/l%C3%B6schen/3 /items/l%F6schen/3",
                "/items/lo%CC%88schen/3 /konto/kündigen /warenkorb/leeren /supprimer/3 /deconnexion",
                "/d%C3%A9connexion /se-deconnecter /panier/vider /eliminar/3 /borrar /cerrar-sesion",
                "/cerrar_sesi%C3%B3n /elimina/3 /rimuovi?id=3 /excluir/3 /sair /verwijderen/3 /uitloggen /usun/3",
                "/usu%C5%84/3 /wyloguj /wyloguj.php /odhlasit /logga-ut /%D0%B2%D1%8B%D0%B9%D1%82%D0%B8",
                "/%E5%89%8A%E9%99%A4/3 /x?aktion=loeschen",
            ],
            true,
        );
    }

    #[test]
    fn pages_that_only_resemble_an_action_or_tell_of_one_are_read() {
        all(
            &[
                "/ /dropdown /subscribers /reset-guide /help/how-to-delete-files /removed-items /orders /orders/7",
                "/order/7 /payments /payments?page=2 /archive /archive/2024 /archive/2024/05 /news/archive/2024",
                "/archives /blog/publish-faster /runs/7 /blocks /blocks/3 /clear-aligners /category/add /users/add",
                "/stopwatch /stop-smoking-for-good /running-shoes /buying-guide /sendgrid /voters",
                "/transferable-skills /kill-bill /costa-del-sol /closet /closed /acceptance /enabled",
                "/cancellation-policy /deleted-scenes /sessions /session/7 /login?next=/orders /search?q=delete",
                "/search?q=how+to+cancel /list?sort=clear /items?category=trash-bags /items?block=3 /runs?run=7",
                "/list?order=asc /checkout?cancel_url=/cart /items/5f0c2f9e /blog/sign-of-life /out/of/office",
                "/log/7 /a/b;jsessionid=ABC /pay-and-benefits-for-staff /api/v1/x /how-to-remove-a-user-from-a-team",
                "/why-we-block-bots-and-why-you-should /place/order-of-merit /droplets /wipes /resetting",
                "/x?view=trash /x?tab=archive /catalogue/outdoor /RunningShoes.aspx /ClearAligners.aspx",
                "/100%25-organic /%zz /% /newsletter-archive /file-transfer /transfer-news /stain-remover /wissen",
                "/help/vote /documentation/cli/run /reference/stop",
            ],
            false,
        );
    }
}
