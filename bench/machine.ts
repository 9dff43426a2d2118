/** Describes the machine and the versions of a measurement. */
import * as Schema from "effect/Schema"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import os from "node:os"
import { join } from "node:path"
import process from "node:process"
import type { Runtime } from "./tools/index.ts"

const bench = import.meta.dirname
export const root: string = join(bench, "..")

/** Absolute path of each runtime that was asked for and is there: `run.mjs` found them. */
export const runtimePaths = (
  wanted: ReadonlyArray<Runtime>,
): ReadonlyArray<readonly [Runtime, string]> => {
  const found = decodePaths(process.env["SLUICE_BENCH_RUNTIMES"] ?? "{}")
  return wanted.flatMap((
    name,
  ) => (found[name] === undefined ? [] : [[name, found[name]] as const]))
}

const decodePaths: (json: string) => Readonly<Record<string, string>> = Schema
  .decodeUnknownSync(
    Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)),
  )

const versionOf = (file: string): string => {
  const match = /"version":\s*"([^"]+)"/.exec(readFileSync(file, "utf8"))
  return match?.[1] ?? "?"
}

const packages = [
  "effect",
  "execa",
  "zx",
  "dax",
  "tinyexec",
  "nano-spawn",
  "rolldown",
]

/** Lines of the report about the machine. */
export const describeMachine = (
  runtimes: ReadonlyArray<readonly [Runtime, string]>,
): ReadonlyArray<string> => {
  const [cpu] = os.cpus()
  const gib = Math.round(os.totalmem() / 2 ** 30)
  const versions = runtimes.map(([name, path]) => {
    const [first] = execFileSync(path, ["--version"], { encoding: "utf8" })
      .split("\n")
    return `${name} ${(first ?? "").replace(/^(deno|v)\s*/, "").replace(/ .*$/, "")}`
  })
  const peers = packages.map((name) => {
    const place = [join(bench, "node_modules"), join(root, "node_modules")]
      .map((directory) => join(directory, name, "package.json"))
      .find((file) => existsSync(file))
    return `${name} ${place === undefined ? "missing" : versionOf(place)}`
  })
  return [
    `${cpu?.model ?? "unknown CPU"}, ${os.cpus().length} cores, ${gib} GiB; ${os.type()} ${os.release()} ${os.arch()}`,
    versions.join(" · "),
    peers.join(" · "),
  ]
}
