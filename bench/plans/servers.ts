/** Rows of the execution server, beside the runtime's own server and its own spawn. */
import type { Plan } from "../RowPlan.ts"

const cases = [
  { id: "raw", title: "the runtime's own server and spawn", kind: "floor" },
  { id: "sluice", title: "Sluice", kind: "sluice" },
] as const

const base = { digits: 0, rounds: "many", by: "cases", cases } as const

/** Rows of the execution server. */
export const servers: ReadonlyArray<Plan> = [
  {
    ...base,
    id: "serverMemory",
    title: "Memory of an idle server",
    about: "RSS in MB, one second after the start.",
    value: "mb",
    unit: "MB",
    better: "lower",
    rounds: "few",
    lanes: 2,
  },
  {
    ...base,
    id: "post",
    title: "`POST /exec` of `true`",
    about:
      "Requests a second over 16 connections from autocannon in another process, after 2 s of the same; each is in the " +
      "server's journal (its own, in memory).",
    value: "perSecond",
    unit: "/s",
    better: "higher",
    check: true,
  },
  {
    ...base,
    id: "postLatency",
    title: "The same with 100 clients, p99",
    about: "Milliseconds from the request to the end of its answer.",
    value: "p99",
    unit: "ms",
    better: "lower",
  },
  {
    ...base,
    id: "remoteLines",
    title: "A command's lines from a server",
    about:
      "Millions of lines of 60 bytes a second as chunks of a `Shell`: the local leaf, and the remote leaf with its " +
      "server in another process, whose journal has them too; beside them the bytes through the runtime's own spawn, " +
      "server and fetch.",
    value: "millionsPerSecond",
    unit: "M/s",
    digits: 2,
    better: "higher",
    cases: [
      { id: "raw", title: "local leaf", kind: "floor" },
      { id: "sluice", title: "remote leaf", kind: "sluice" },
      {
        id: "bare",
        title: "the runtime's own server, undecoded",
        kind: "peer",
      },
    ],
    check: true,
  },
  {
    ...base,
    id: "listing",
    title: "`GET /commands?state=running` among 100,000",
    about:
      "Three commands run, 100,000 have ended, all are in a SQLite journal. Median of 20 requests; the goals also look at other requests meanwhile.",
    value: "ms",
    unit: "ms",
    digits: 1,
    better: "lower",
    rounds: "few",
    cases: [{ id: "sluice", title: "Sluice", kind: "sluice" }],
  },
]
