//! Measures what our rules find of examples, and what those of a pack find: `secret_rate EXAMPLES PACK`. EXAMPLES has a
//! JSON object on a line: rule, found, path and text (`bench/secrets` writes it); PACK is the file of rules that they
//! are examples of. Prints how much of what is to be found is found, and how many of the texts that hold nothing are
//! reported: by each rule of the pack alone, by ours, by all of the pack, and by all together; then megabytes of source
//! code that are looked through in a second, on one thread.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement that people start")]

use ambit_secrets::{At, Look, Rules, own, read_pack, with_packs};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Instant;

/// Bytes of source code that are looked through.
const CODE_BYTES: usize = 16 * 1_024 * 1_024;
/// Bytes of one file of it.
const FILE_BYTES: usize = 32 * 1_024;

struct Example {
    rule: String,
    found: bool,
    path: String,
    text: String,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (examples, pack) = arguments.next().zip(arguments.next()).expect("EXAMPLES and PACK");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let examples: Vec<Example> = std::fs::read_to_string(examples)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|row| Example {
            rule: text(&row["rule"]),
            found: row["found"] == true,
            path: text(&row["path"]),
            text: text(&row["text"]),
        })
        .collect();
    let written = std::fs::read_to_string(pack).unwrap();
    let whole = read_pack(&written).unwrap();
    println!("rules of the pack {}, left out {}", whole.count(), whole.left_out.len());
    for left in &whole.left_out {
        println!("  {}: {}", left.rule, left.why);
    }
    each_alone(&examples, &written);
    let pack_alone = Rules::of(vec![whole]);
    let together = with_packs(vec![read_pack(&written).unwrap()]);
    for (who, rules) in [("our rules", &*own()), ("the pack", &pack_alone), ("together", &*together)] {
        tell(who, &examples, |example| finds(rules, example));
        println!("{who}: {:.0} MB of code in a second", rate(rules));
    }
}

fn finds(rules: &Rules, example: &Example) -> bool {
    !rules.find_at(&example.text, Look::Code, At { path: &example.path, commit: "" }).is_empty()
}

/// Each rule by its own examples, as its author tries it.
fn each_alone(examples: &[Example], written: &str) {
    let mut alone: BTreeMap<&str, Rules> = BTreeMap::new();
    for example in examples {
        alone.entry(&example.rule).or_insert_with(|| Rules::of(vec![read_pack(written).unwrap().only(&example.rule)]));
    }
    let mut wrong: BTreeMap<&str, usize> = BTreeMap::new();
    for example in examples {
        if finds(&alone[example.rule.as_str()], example) != example.found {
            *wrong.entry(&example.rule).or_default() += 1;
        }
    }
    tell("each rule alone", examples, |example| finds(&alone[example.rule.as_str()], example));
    for (rule, count) in wrong {
        println!("  {rule}: {count} otherwise");
    }
}

fn tell(who: &str, examples: &[Example], finds: impl Fn(&Example) -> bool) {
    let count = |wanted: bool| {
        let of: Vec<&Example> = examples.iter().filter(|example| example.found == wanted).collect();
        (of.iter().filter(|example| finds(example)).count(), of.len())
    };
    let ((found, all), (reported, none)) = (count(true), count(false));
    println!(
        "{who}: {found} of {all} found ({:.2} %), {reported} of {none} reported",
        100.0 * found as f64 / all as f64
    );
}

/// Megabytes that are looked through in a second.
fn rate(rules: &Rules) -> f64 {
    const LINES: &[&str] = &[
        "    let total = items.iter().map(|item| item.price * item.count).sum::<u64>();\n",
        "def handle(request, response): return render(request, 'page.html', {'user': request.user})\n",
        "  api_key = os.environ.get('API_KEY', default_key)  # never in the code\n",
        "export const fetchOrders = async (token) => client.get(`/orders?limit=50`, headers(token));\n",
        "// The password of the account is asked for by the dialog, see docs/login.md for its states.\n",
        "<div class=\"item\" id=\"row-18\"><a href=\"/catalogue/item/18\">Granite bollard</a></div>\n",
    ];
    let mut file = String::new();
    while file.len() < FILE_BYTES {
        file.push_str(LINES[file.len() % LINES.len()]);
    }
    rules.find(&file, Look::Code);
    let start = Instant::now();
    for _ in 0..CODE_BYTES / FILE_BYTES {
        std::hint::black_box(rules.find(std::hint::black_box(&file), Look::Code));
    }
    CODE_BYTES as f64 / 1e6 / start.elapsed().as_secs_f64()
}
