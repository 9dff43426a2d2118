/**
 * Looks at the promises of the Windows leaf on Linux: bundled, and run by the Windows program of a runtime under Wine.
 */
import { spawn } from "node:child_process"
import { closeSync, openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { openWine } from "../../../../scripts/wine.mjs"

const Kept = Schema.Struct({
  title: Schema.String,
  failure: Schema.optionalKey(Schema.String),
  millis: Schema.Finite,
})

/** What became of a promise. */
export type Kept = typeof Kept.Type

const decodeLine = Schema.decodeUnknownOption(Schema.fromJsonString(Kept))

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const bundle = async (name: string, directory: string): Promise<void> => {
  const build = await rolldown({
    input: here(`./${name}.ts`),
    platform: "node",
    resolve: { alias: { "@sluice/shell": here("../../../../mod.ts") } },
    logLevel: "silent",
  })
  await build.write({ file: join(directory, `${name}.mjs`), format: "esm", codeSplitting: false })
  await build.close()
}

/** Runs the promises whose titles contain one of `wanted`, or all; answers with what became of each. */
export const runUnderWine = async (
  runtime: "deno" | "bun" | "node",
  wanted: ReadonlyArray<string> = [],
): Promise<{ readonly kept: ReadonlyMap<string, Kept>; readonly output: string }> => {
  const wine = openWine()
  try {
    await Promise.all([bundle("main", wine.directory), bundle("parent", wine.directory)])
    const flags = runtime === "deno" ? ["run", "-A", "--no-config"] : []
    const [program = "", ...args] = wine.command(runtime, [...flags, "main.mjs", ...wanted])
    // Into a file: what Node calls a pipe is a socket, and node.exe takes none for its stdout.
    const log = join(wine.directory, "log")
    const file = openSync(log, "w")
    await new Promise<void>((resolve, reject) => {
      const child = spawn(program, args, { stdio: ["ignore", file, file], timeout: 590_000 })
      child.on("error", reject)
      child.on("exit", () => resolve())
    })
    closeSync(file)
    const output = readFileSync(log, "utf8")
    const kept = new Map<string, Kept>()
    for (const line of output.split("\n")) {
      for (const each of Option.toArray(decodeLine(line))) kept.set(each.title, each)
    }
    return { kept, output }
  } finally {
    wine.close()
  }
}
