"""Runs a command and says what it cost: wall seconds, CPU seconds, peak of resident memory. Used by the scripts beside it."""
import os, subprocess, time


class Cost:
    def __init__(self, wall, cpu, memory):
        self.wall, self.cpu, self.memory = wall, cpu, memory

    def __str__(self):
        return f"wall {self.wall:.1f} s, CPU {self.cpu:.1f} s, memory {self.memory / 1e6:.0f} MB"


def run(command, out, err, timeout=None, environment=None):
    """Exit code and cost; after `timeout` seconds the command is killed and the code is None."""
    begun = time.monotonic()
    with open(out, "wb") as out_file, open(err, "wb") as err_file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out_file, stderr=err_file, env=environment,
                                   start_new_session=True)
        code, usage = wait(process, begun, timeout)
    # The kernel counts in kB.
    return code, Cost(time.monotonic() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def wait(process, begun, timeout):
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status), usage
        if timeout and time.monotonic() - begun > timeout:
            os.killpg(process.pid, 9)
            _, _, usage = os.wait4(process.pid, 0)
            return None, usage
        time.sleep(0.02)
