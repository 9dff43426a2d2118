import type { BranchEntry } from "../../../src/branch/BranchEntry.ts"
import type { HostIdentity } from "../../../src/branch/HostIdentity.ts"

const host: HostIdentity = {
  host: "build-7",
  machine: "0f0e",
  bootId: "5c6d",
  pidNamespace: "pid:[4026531836]",
  pid: 4_711,
  processStart: "8812",
}

/** One entry of each kind, with and without its optional fields, as version 1 writes them. */
export const branchEntries: ReadonlyArray<BranchEntry> = [
  {
    _tag: "LeaseTaken",
    attempt: 2,
    daemonId: "daemon-1",
    execution: { executable: "/usr/bin/git", user: "ci", workingDirectory: "/srv" },
    host,
    leaseMillis: 15_000,
  },
  { _tag: "LeaseTaken", attempt: 1, daemonId: "in-process", host, leaseMillis: null },
  { _tag: "CancelRequested", by: "client", force: true },
  { _tag: "CancelRequested" },
  { _tag: "DaemonStarted", daemonId: "daemon-1", host, leaseMillis: 15_000, settledThrough: 0 },
  { _tag: "DaemonAlive", daemonId: "daemon-1", leaseMillis: 15_000, settledThrough: 12 },
  { _tag: "DaemonCompleted", daemonId: "daemon-1", settledThrough: 12 },
]
