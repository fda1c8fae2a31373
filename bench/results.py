"""The file of measured figures, `bench/results.jsonl`: one JSON object a line. Scripts beside this one add to it, `bench/report` makes a page of it."""
import datetime, json, os, pathlib, re, subprocess, sys

FILE = pathlib.Path(__file__).resolve().parent / "results.jsonl"
# In the order in which they stand in a line.
MEMBERS = ("date", "commit", "machine", "load", "command", "measure", "figure", "unit", "bound", "better", "remark")


def read():
    with open(FILE, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def commit():
    """The commit that was measured; a `+` says that files had changed since."""
    git = lambda *words: subprocess.run(["git", "-C", str(FILE.parent), *words], capture_output=True, text=True).stdout.strip()
    return git("rev-parse", "--short=7", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def without_passwords(command):
    """A command as it may be kept: the password in an address is left out."""
    return re.sub(r"://([^\s/:@]*):[^\s/]*@", r"://\1:…@", command)


def note(measure, figure, unit, bound=None, better="lower", remark="", recorded=False):
    """Prints a figure as a line of the file, and appends it where AMBIT_BENCH_RECORD is set. `better` is `lower` or `higher`; `bound` is the worst figure
    that is good enough. A measure is named `group: what`, always in the same words: figures of one name are compared. A figure that was `recorded` elsewhere, of
    a peer, is of no commit of ours."""
    line = dict(zip(MEMBERS, (
        datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "recorded" if recorded else commit(), f"{os.cpu_count()} cores",
        None if recorded else round(os.getloadavg()[0], 1),
        without_passwords(os.environ.get("AMBIT_BENCH_COMMAND") or " ".join(["bench/" + pathlib.Path(sys.argv[0]).name, *sys.argv[1:]])),
        measure, figure, unit, bound, better, remark)))
    text = json.dumps(line, ensure_ascii=False)
    print(text, flush=True)
    if os.environ.get("AMBIT_BENCH_RECORD"):
        with open(FILE, "a", encoding="utf-8") as out:
            out.write(text + "\n")
