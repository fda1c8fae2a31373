//! What is written is found, and what was done to it afterwards is seen.

use super::read::Head;
use super::*;
use std::fs;

fn folder() -> PathBuf {
    let path = std::env::temp_dir().join(format!("ambit-ledger-{}", Uuid::new_v4()));
    fs::create_dir_all(&path).expect("can be made");
    path
}

fn contact(recorder: &Recorder, run: i64, transport: Transport, to: &str) {
    let witness = recorder.of_run(Uuid::nil(), run);
    witness.contacted(transport, to.parse().expect("an address")).expect("is taken");
}

const ALWAYS: Range = Range { from: Timestamp(0), to: Timestamp(i64::MAX) };

fn found(data: &Path, network: &str) -> Vec<String> {
    let (found, _) = Ledger::of(data).find(network.parse().expect("a network"), ALWAYS).expect("is read");
    found
        .iter()
        .map(|entry| format!("{} {:?} {:?} {} {}", entry.address, entry.tcp, entry.udp, entry.contacts, entry.run))
        .collect()
}

/// A ledger with three lines of three processes, and its page.
fn three() -> (PathBuf, PathBuf) {
    let data = folder();
    for run in 1..=3 {
        contact(&Recorder::new(&data), run, Transport::Tcp, "192.0.2.1:443");
    }
    let page = data.join("ledger").join("00000001.jsonl");
    (data, page)
}

fn verify(data: &Path) -> Result<Head, String> {
    Ledger::of(data).verify(None).expect("is read")
}

#[test]
fn what_was_contacted_is_found_by_address_network_and_time() {
    let data = folder();
    assert!(!data.join("ledger").exists());
    let recorder = Recorder::new(&data);
    for (transport, to) in [
        (Transport::Tcp, "192.0.2.1:443"),
        (Transport::Tcp, "192.0.2.1:80"),
        (Transport::Tcp, "192.0.2.1:80"),
        (Transport::Udp, "192.0.2.1:53"),
        (Transport::Tcp, "[::ffff:192.0.2.2]:22"),
        (Transport::Tcp, "[2001:db8::1]:22"),
    ] {
        contact(&recorder, 7, transport, to);
    }
    drop(recorder);
    assert_eq!(found(&data, "192.0.2.1/32"), ["192.0.2.1 [80, 443] [53] 4 7"]);
    assert_eq!(found(&data, "192.0.2.0/24").len(), 2);
    assert_eq!(found(&data, "2001:db8::/64"), ["2001:db8::1 [22] [] 1 7"]);
    assert_eq!(found(&data, "198.51.100.0/24"), Vec::<String>::new());
    let long_ago = Range { from: Timestamp(0), to: Timestamp(1) };
    let (none, since) = Ledger::of(&data).find("0.0.0.0/0".parse().expect("a network"), long_ago).expect("is read");
    assert!(none.is_empty() && since.is_some());
    assert_eq!(verify(&data).map(|head| head.lines), Ok(3));
    fs::remove_dir_all(data).expect("is ours");
}

#[test]
fn what_was_changed_left_out_or_put_in_is_seen() {
    let change = |change: &dyn Fn(&mut Vec<String>)| {
        let (data, page) = three();
        let text = fs::read_to_string(&page).expect("is there");
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        change(&mut lines);
        fs::write(&page, lines.join("\n") + "\n").expect("can be written");
        let verdict = verify(&data).map(|head| head.lines);
        fs::remove_dir_all(data).expect("is ours");
        verdict
    };
    assert_eq!(change(&|_| ()), Ok(3));
    let broken = |verdict: Result<u64, String>, line: &str| {
        assert!(verdict.as_ref().is_err_and(|why| why.contains(line)), "{verdict:?}");
    };
    broken(change(&|lines| lines[2] = lines[2].replace("192.0.2.1", "192.0.2.9")), "line 3");
    broken(change(&|lines| drop(lines.remove(1))), "line 2");
    broken(change(&|lines| drop(lines.remove(0))), "line 1");
    broken(change(&|lines| lines.swap(1, 2)), "line 2");
    broken(change(&|lines| lines.insert(1, lines[3].clone())), "line 2");
    broken(change(&|lines| lines[0] = lines[0].replace("\"before\":\"00", "\"before\":\"11")), "line 1");
    // Alone, a chain does not show that its end was cut off: a hash that was noted does.
    assert_eq!(change(&|lines| drop(lines.pop())), Ok(2));
}

#[test]
fn a_hash_that_was_noted_is_found_again_unless_the_end_was_cut_off() {
    let (data, page) = three();
    let head = verify(&data).expect("is whole").chain;
    let has = || Ledger::of(&data).verify(Some(&head)).expect("is read").expect("is whole").has_asked;
    contact(&Recorder::new(&data), 4, Transport::Udp, "192.0.2.1:53");
    assert!(has());
    let text = fs::read_to_string(&page).expect("is there");
    let cut: Vec<&str> = text.lines().take(3).collect();
    fs::write(&page, cut.join("\n") + "\n").expect("can be written");
    assert!(!has());
    fs::remove_dir_all(data).expect("is ours");
}

#[test]
fn a_line_that_was_cut_off_is_taken_away_and_the_chain_goes_on() {
    let (data, page) = three();
    let text = fs::read_to_string(&page).expect("is there");
    fs::write(&page, &text[..text.len() - 20]).expect("can be written");
    contact(&Recorder::new(&data), 9, Transport::Tcp, "192.0.2.7:1");
    assert_eq!(verify(&data).map(|head| head.lines), Ok(3));
    assert_eq!(found(&data, "192.0.2.7/32"), ["192.0.2.7 [1] [] 1 9"]);
    fs::remove_dir_all(data).expect("is ours");
}

#[test]
fn pages_follow_one_another_and_the_oldest_go() {
    let data = folder();
    let ports: Vec<u16> = (1..=u16::MAX).collect();
    let entry = Entry {
        from: Timestamp(1),
        to: Timestamp(2),
        collection: Uuid::nil(),
        run: 1,
        address: IpAddr::from([192, 0, 2, 1]),
        tcp: ports,
        udp: Vec::new(),
        contacts: 65_535,
    };
    let pages = |count: usize| {
        page::append(&data.join("ledger"), &vec![entry.clone(); count]).expect("is written");
        page::pages(&data.join("ledger")).expect("is read").iter().map(|(number, _)| *number).collect::<Vec<_>>()
    };
    // A line has some 370 KB, a page 46 of them.
    assert_eq!(pages(100), [1, 2, 3]);
    assert_eq!(verify(&data).map(|head| head.lines), Ok(100));
    fs::remove_file(data.join("ledger").join("00000001.jsonl")).expect("is there");
    assert!(verify(&data).is_ok_and(|head| head.lines < 100), "the oldest may go");
    fs::rename(data.join("ledger").join("00000002.jsonl"), data.join("ledger").join("00000001.jsonl")).expect("moves");
    assert!(verify(&data).is_err(), "a page is what it says it is");
    fs::remove_dir_all(data).expect("is ours");
}

#[test]
fn what_cannot_be_written_goes_on_waiting_and_is_counted_once() {
    let data = folder();
    let recorder = Recorder::new(&data);
    // The ledger's place is taken by something else.
    fs::write(data.join("ledger"), "").expect("is written");
    contact(&recorder, 7, Transport::Tcp, "192.0.2.1:443");
    assert!(recorder.0.flush().is_err());
    contact(&recorder, 7, Transport::Tcp, "192.0.2.1:80");
    assert!(recorder.0.flush().is_err());
    fs::remove_file(data.join("ledger")).expect("is removed");
    recorder.0.flush().expect("is written");
    drop(recorder);
    assert_eq!(found(&data, "192.0.2.1/32"), ["192.0.2.1 [80, 443] [] 2 7"]);
}

#[test]
fn more_addresses_than_may_wait_are_written_meanwhile_and_refused_only_where_that_fails() {
    let data = folder();
    let recorder = Recorder::new(&data);
    let witness = recorder.of_run(Uuid::nil(), 7);
    let asked = |number: usize| {
        let address = u32::try_from(0x0a00_0000 + number).expect("a small number");
        witness.contacted(Transport::Tcp, SocketAddr::new(IpAddr::V4(address.into()), 443))
    };
    for number in 0..=WAITING_MAX {
        asked(number).expect("is taken");
    }
    recorder.0.flush().expect("is written");
    assert_eq!(found(&data, "10.0.0.0/8").len(), WAITING_MAX + 1);
    fs::remove_dir_all(data.join("ledger")).expect("is removed");
    fs::write(data.join("ledger"), "").expect("is written");
    let refused = (0..3 * WAITING_MAX).find_map(|number| asked(number).err()).expect("nothing more is taken");
    assert!(refused.to_string().starts_with("the ledger of contacts cannot be written: "), "{refused}");
    drop((recorder, witness));
    fs::remove_dir_all(data).expect("is removed");
}
