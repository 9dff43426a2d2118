/** The rows that each tool runs in a process of its own. */
import { drain, timeoutTerm, timeoutTree } from "./endings.ts"
import { memory, memorySlow } from "./memory.ts"
import type { Measure } from "./Row.ts"
import { concurrent, spawn, spawnLarge } from "./spawn.ts"
import { bytes, lines, text } from "./throughput.ts"

/** The rows by name. */
export const measures: Readonly<Record<string, Measure>> = {
  spawn,
  spawnLarge,
  concurrent,
  bytes,
  lines,
  text,
  memory,
  memorySlow,
  timeoutTree,
  timeoutTerm,
  drain,
}
