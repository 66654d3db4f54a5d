"""Runs a command under a time limit and writes its time and memory as JSON:
REPORT LIMIT STDOUT STDERR COMMAND...

This is a separate small process, because Linux counts the memory of the process that starts a
command in the peak of that command. At the time limit the whole process group is killed. Processes
that the command leaves running are killed when it ends. CPU seconds and peak memory include the
processes that the command waited for.
"""
import json
import os
import signal
import sys
import time


def main():
    report, limit, out, err, *command = sys.argv[1:]
    stopped = []
    began = time.perf_counter()
    child = os.fork()
    if not child:
        os.setsid()
        for path, stream in ((out, 1), (err, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        try:
            os.execv(command[0], command)
        except OSError as error:
            os.write(2, f"{error.strerror}\n".encode())
            os._exit(127)

    def kill_group():
        for kill in (os.killpg, os.kill):
            try:
                kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def stop(number, _frame):
        stopped.append(number)
        kill_group()

    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    signal.setitimer(signal.ITIMER_REAL, float(limit))
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - began
    signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
    result = {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "mib": usage.ru_maxrss / 1024,
        "code": os.waitstatus_to_exitcode(status),
        "limit": signal.SIGALRM in stopped,
    }
    with open(report, "w", encoding="utf-8") as file:
        json.dump(result, file)


main()
