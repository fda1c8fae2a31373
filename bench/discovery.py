"""Starts `ambit` on a world, reads the inventory that it prints, and tells two inventories apart. Used by the scripts beside it."""
import json, os, signal, subprocess

# What differs by right between two folders: stamps of the wall clock, and what is drawn at random once per folder or run.
STAMPS = {"first_seen", "last_seen", "run", "run_uuid", "organization_uuid"}
# A resume finds part of the inventory already there; what it is in the end is compared, not what was new.
COUNTERS = {"new", "changed", "gone", "seconds", "duration_ms"}


def without(value, names):
    if isinstance(value, dict):
        return {k: without(v, names) for k, v in value.items() if k not in names}
    return [without(v, names) for v in value] if isinstance(value, list) else value


def inventory(text):
    """The lines in an order of their own, as text, so that two inventories can be compared and shown."""
    lines = [json.loads(line) for line in text.splitlines()]
    records = [without(line, STAMPS) for line in lines if line["record"] != "summary"]
    summary = [without(line, STAMPS | COUNTERS) for line in lines if line["record"] == "summary"]
    return sorted(json.dumps(line, sort_keys=True) for line in records + summary)


def differences(expected, found):
    return [f"missing   {line}" for line in sorted(set(expected) - set(found))] + \
           [f"too much  {line}" for line in sorted(set(found) - set(expected))] + \
           ([f"{len(found) - len(set(found))} lines are printed twice"] if len(found) != len(set(found)) else [])


class Discovery:
    """The demo, or a scan of another world, in one folder; with `database` on PostgreSQL, below `wrapper` (a tracer) if there is one."""

    def __init__(self, ambit, folder, world=None, database=None, wrapper=()):
        self.command = [*wrapper, ambit, *(["scan", "--world", world, "-y"] if world else ["demo", "--once"]), "--data", str(folder), "--jsonl"]
        self.environment = dict(os.environ, **({"AMBIT_DATABASE": database} if database else {}))

    def start(self, log):
        return subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=self.environment,
                                start_new_session=True)

    def finish(self, log, timeout=None):
        """Exit code and standard output; the code is None where it did not end in time."""
        process = self.start(log)
        try:
            out, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.kill(process)
            return None, ""
        return process.returncode, out.decode()

    def kill_after(self, seconds, log):
        """True if it was still running then."""
        process = self.start(log)
        try:
            process.communicate(timeout=seconds)
            return False
        except subprocess.TimeoutExpired:
            self.kill(process)
            return True

    @staticmethod
    def kill(process):
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
