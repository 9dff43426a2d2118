/** Describes `sluice demo`: its help and its flags. */
import type { CommandSpec } from "../CommandSpec.ts"
import { type FlagTable, valueFlag } from "../FlagSpec.ts"
import { parseSpeed } from "../journal/parseValues.ts"

export interface DemoFlags {
  readonly speed: number | undefined
}

export const demoFlags: FlagTable<DemoFlags> = {
  speed: valueFlag(
    "N|max",
    "Speed factor: 2, 0.5, or max for no pauses. Default: 1 on a terminal, else max",
    parseSpeed,
  ),
}

export const demoSpec: CommandSpec = {
  name: "demo",
  short: "Show a recorded session of an agent at work",
  about: `Show a recorded session of an agent at work: it runs failing tests, fixes the source, and runs them again.

  The session comes from a journal in this package, with the commands' output as it came. Nothing is run, no model is
  called, and nothing is written. At the end it says how to look into that journal.`,
  flags: demoFlags,
  examples: [["sluice demo", "About 15 seconds"], ["sluice demo --speed 3", "Faster"]],
}
