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
        code, usage, memory = wait(process, begun, timeout)
    return code, Cost(time.monotonic() - begun, usage.ru_utime + usage.ru_stime, memory)


def wait(process, begun, timeout):
    """Memory is the peak that the kernel notes for the program itself: what wait4 says would hold ours from before the exec."""
    memory = 0
    while True:
        memory = peak(process.pid) or memory
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status), usage, memory
        if timeout and time.monotonic() - begun > timeout:
            os.killpg(process.pid, 9)
            _, _, usage = os.wait4(process.pid, 0)
            return None, usage, memory
        time.sleep(0.02)


def peak(pid):
    """Bytes, or None when the process has ended."""
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:")), None)
    except OSError:
        return None
