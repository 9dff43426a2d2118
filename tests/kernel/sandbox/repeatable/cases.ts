/** The scripts of the test of seeds, and the digests of their runs that are the same on every runtime. */
import * as Schema from "effect/Schema"
import { readFileSync, writeFileSync } from "node:fs"
import { project, scripts } from "../../everyday/everyday.ts"
import type { RepeatCase } from "./repeat.ts"

const file = (name: string): URL => new URL(name, import.meta.url)

const ownScripts = (): ReadonlyArray<readonly [name: string, script: string]> =>
  readFileSync(file("scripts.txt"), "utf8").split(/^-- (?=\S+ --$)/m).slice(1).map((part) => {
    const end = part.indexOf(" --\n")
    return [part.slice(0, end), part.slice(end + " --\n".length)]
  })

/** The everyday scripts, and those on time, random numbers, processes and races. */
export const repeatCases: ReadonlyArray<readonly [name: string, RepeatCase]> = [
  ...Array.from(scripts, ([name, script]) => [`everyday/${name}`, { script, files: project }] as const),
  ...ownScripts().map(([name, script]) => [name, { script, files: {} }] as const),
]

const Digests = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

/** Checks digests against the committed ones. `SLUICE_WRITE_GOLDEN=1` writes them instead. */
export const readDigests = (): Readonly<Record<string, string>> =>
  Schema.decodeUnknownSync(Digests)(readFileSync(file("digests.json"), "utf8"))

export const writeDigests = (digests: Readonly<Record<string, string>>): void =>
  writeFileSync(file("digests.json"), `${JSON.stringify(digests, null, 2)}\n`)
