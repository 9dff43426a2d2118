/** The row of bundles, and the bundle of the command line. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { type OutputChunk, rolldown } from "rolldown"
import { root } from "./machine.ts"

const directory = join(import.meta.dirname, "entries", "bundles")

/** What the tables call the entries. */
export const bundleTitles: Readonly<Record<string, string>> = {
  sluice: "Sluice",
  "sluice-run": "Sluice, ./run",
  "effect-stream": "`effect`: Stream",
  "effect-stream-layer": "`effect`: Stream, a layer and a service",
  "effect-stream-schema": "`effect`: Stream, a layer, a service, Schema",
  "effect-spawner": "Effect's spawner",
  execa: "execa",
  zx: "zx",
  dax: "dax",
  tinyexec: "tinyexec",
  "nano-spawn": "nano-spawn",
}

/** Bundles one entry into one file. */
const bundle = async (input: string, file?: string): Promise<ReadonlyArray<OutputChunk>> => {
  const build = await rolldown({
    input,
    platform: "node",
    logLevel: "silent",
    cwd: root,
  })
  const options = {
    format: "esm",
    minify: true,
    codeSplitting: false,
  } as const
  try {
    const { output } = file === undefined ? await build.generate(options) : await build.write({ ...options, file })
    return output.filter((part) => part.type === "chunk")
  } finally {
    await build.close()
  }
}

/** Size of a bundle: minified, and minified and gzipped, in KB (10^3 bytes). */
export const bundleSize = async (id: string): Promise<{ kb: number; minifiedKb: number }> => {
  const code = (await bundle(join(directory, `${id}.ts`))).map((part) => part.code).join("")
  return {
    kb: gzipSync(code, { level: 9 }).length / 1000,
    minifiedKb: Buffer.byteLength(code) / 1000,
  }
}

/** Bundles the command line into one file. */
export const bundleCli = async (cache: string): Promise<string> => {
  const input = join(root, "src", "cli", "main.ts")
  if (!existsSync(input)) throw new Error("there is no src/cli/main.ts")
  const file = join(cache, "sluice-cli.mjs")
  await bundle(input, file)
  return file
}
