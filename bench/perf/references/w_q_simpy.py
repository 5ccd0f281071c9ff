"""W and Q (see workloads.ts) in SimPy, the simulator most people would take.

    /usr/bin/python3 w_q_simpy.py w|q JOBS SEED

prints one line of JSON, with the fields of outcome.ts and nsPerEvent, which
counts the processor's time. Exits with 3 if there is no SimPy.
"""

import json
import math
import random
import resource
import sys

try:
    import simpy
except ImportError:
    sys.exit(3)

SPREAD_S = 3600.0
INTERVAL_S = 7.0
MEAN_LENGTH_S = 20.0
MEAN_SERVICE_S = 0.005


class Outputs:
    def __init__(self):
        self.requests = 0
        self.lateness = []
        self.live = 0
        self.peak_live = 0
        self.per_second = [0] * 16384

    def begins(self):
        self.live += 1
        if self.live > self.peak_live:
            self.peak_live = self.live

    def request(self, now):
        self.requests += 1
        self.per_second[int(now)] += 1

    def learned(self, late):
        self.live -= 1
        self.lateness.append(late)


def job_of_w(env, length, out):
    done = env.now + length
    out.begins()
    while True:
        yield env.timeout(INTERVAL_S)
        out.request(env.now)
        if env.now >= done:
            out.learned(env.now - done)
            return


def job_of_q(env, length, out, server, chance):
    done = env.now + length
    out.begins()
    while True:
        yield env.timeout(INTERVAL_S)
        out.request(env.now)
        yield env.timeout(chance.uniform(0.02, 0.08))
        with server.request() as turn:
            yield turn
            yield env.timeout(chance.expovariate(1 / MEAN_SERVICE_S))
            is_done = env.now >= done
        yield env.timeout(chance.uniform(0.02, 0.08))
        if is_done:
            out.learned(env.now - done)
            return


def processor_s():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main(workload, jobs, seed):
    chance = random.Random(seed)
    env = simpy.Environment()
    out = Outputs()
    server = simpy.Resource(env, max(1, round(jobs / SPREAD_S * 3.34 * MEAN_SERVICE_S / 0.7)))

    def job():
        length = chance.expovariate(1 / MEAN_LENGTH_S)
        if workload == "w":
            return job_of_w(env, length, out)
        return job_of_q(env, length, out, server, chance)

    def arrivals():
        for _ in range(jobs):
            yield env.timeout(chance.expovariate(jobs / SPREAD_S))
            env.process(job())

    env.process(arrivals())
    began = processor_s()
    env.run()
    spent = processor_s() - began
    events = jobs + out.requests * (1 if workload == "w" else 4)
    ordered = sorted(out.lateness)
    print(json.dumps({
        "events": events,
        "requests": out.requests,
        "done": len(ordered),
        "latenessSumUs": round(sum(ordered) * 1e6),
        "latenessP95Ms": int(ordered[math.ceil(0.95 * len(ordered)) - 1] * 1000),
        "peakLive": out.peak_live,
        "peakRequestsPerSecond": max(out.per_second),
        "nsPerEvent": spent * 1e9 / events,
    }))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
