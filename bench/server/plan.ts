/** The rows of the server's bench. */
import type { Table } from "../tables.ts"

/** One measurement: what `measure.ts` is called with. */
export interface Case {
  readonly row: "requests" | "lines"
  readonly tool: "floor" | "sluice" | "local" | "remote"
  readonly connections: number
}

const requests = (tool: "floor" | "sluice", connections: number): Case => ({
  row: "requests",
  tool,
  connections,
})

const lines = (tool: "floor" | "local" | "remote"): Case => ({
  row: "lines",
  tool,
  connections: 1,
})

/** All tables, in the order of the report. */
export const tables: ReadonlyArray<Table<Case>> = [
  {
    id: "requests",
    title: "`POST /exec` of `/bin/true`",
    about:
      "Requests a second over 16 connections, from autocannon in another process; each is in the server's journal (its own, " +
      "in memory). The floor is the runtime's own server and its own spawn. After as " +
      "many requests to warm up. Higher is better; beside it the ratio to the floor.",
    value: "perSecond",
    unit: "/s",
    digits: 0,
    lines: [
      { title: "floor", of: requests("floor", 16) },
      { title: "Sluice", of: requests("sluice", 16), to: requests("floor", 16) },
    ],
  },
  {
    id: "latency",
    title: "The same with 100 clients",
    about: "Milliseconds from the request to the end of its answer; lower is better.",
    value: "p99",
    unit: "ms",
    digits: 0,
    lines: (["p50", "p99"] as const).flatMap((value) =>
      (["floor", "sluice"] as const).map((tool) => ({
        title: `${tool === "floor" ? "floor" : "Sluice"}, ${value}`,
        of: requests(tool, 100),
        value,
      }))
    ),
  },
  {
    id: "lines",
    title: "A command's lines, here and from a server",
    about:
      "Lines of 60 bytes as chunks of a `Shell`: the local leaf, and the remote leaf with its server in another process, " +
      "whose journal has them too. The floor is the same bytes, undecoded, through the runtime's own spawn, server and " +
      "fetch. After a quarter of them to warm up. Megabytes a second, higher is better.",
    value: "megabytesPerSecond",
    unit: "MB/s",
    digits: 0,
    lines: [
      { title: "local", of: lines("local") },
      { title: "remote", of: lines("remote"), to: lines("local") },
      { title: "floor", of: lines("floor"), to: lines("local") },
    ],
  },
]

/** A name for a case. */
export const keyOf = ({ connections, row, tool }: Case): string => `${row} ${tool} ${connections}`
