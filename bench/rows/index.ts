/** Rows by name: those that each tool runs, and those with cases of their own; each in a process of its own. */
import { drain, timeoutTerm, timeoutTree } from "./endings.ts"
import { memory, memorySlow } from "./memory.ts"
import type { Measure, MeasureCase } from "./Row.ts"
import { concurrent, spawn, spawnCold, spawnLarge } from "./spawn.ts"
import { bytes, lines, text } from "./throughput.ts"
import { waiting } from "./waiting.ts"

/** The rows of tools. */
export const measures: Readonly<Record<string, Measure>> = {
  spawnCold,
  spawn,
  spawnLarge,
  concurrent,
  bytes,
  lines,
  text,
  memory,
  memorySlow,
  waiting,
  timeoutTree,
  timeoutTerm,
  drain,
}

/** The rows with cases. Each is loaded only where it is measured: the others' modules stay out of its process. */
export const caseMeasures: Readonly<
  Record<string, () => Promise<MeasureCase>>
> = {
  serverMemory: async () => (await import("../server/memory.ts")).serverMemory,
  post: async () => (await import("../server/requests.ts")).post,
  postLatency: async () => (await import("../server/requests.ts")).postLatency,
  remoteLines: async () => (await import("../server/lines.ts")).remoteLines,
  listing: async () => (await import("../server/listing.ts")).listing,
  journaledSpawn: async () => (await import("../journal/runs.ts")).spawns,
  journaledLines: async () => (await import("../journal/runs.ts")).lines,
  verify: async () => (await import("../journal/verify.ts")).verify,
}
