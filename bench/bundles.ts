/** The row of bundles. */
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

const bytesOf = (
  chunks: ReadonlyArray<OutputChunk>,
): { readonly kb: number; readonly minifiedKb: number } => {
  const code = chunks.map((part) => part.code).join("")
  return {
    kb: gzipSync(code, { level: 9 }).length / 1000,
    minifiedKb: Buffer.byteLength(code) / 1000,
  }
}

/** The chunks that an entry loads at its start. */
const loadedAtStart = (
  chunks: ReadonlyArray<OutputChunk>,
): ReadonlyArray<OutputChunk> => {
  const loaded = new Set<string>()
  const visit = (name: string): void => {
    if (loaded.has(name)) return
    loaded.add(name)
    for (
      const next of chunks.find((part) => part.fileName === name)?.imports ?? []
    ) visit(next)
  }
  for (const part of chunks) if (part.isEntry) visit(part.fileName)
  return chunks.filter((part) => loaded.has(part.fileName))
}

const chunksOf = async (
  input: string,
  codeSplitting: boolean,
): Promise<ReadonlyArray<OutputChunk>> => {
  const build = await rolldown({
    input,
    platform: "node",
    logLevel: "silent",
    cwd: root,
  })
  try {
    const { output } = await build.generate({
      format: "esm",
      minify: true,
      codeSplitting,
    })
    return output.filter((part) => part.type === "chunk")
  } finally {
    await build.close()
  }
}

/**
 * Size of a bundle in KB (10^3 bytes), minified and gzipped: all in one file, and what is loaded at start. Splitting makes
 * a part larger where the bundler can drop less, so the smaller of both is loaded at start.
 */
export const bundleSize = async (
  id: string,
): Promise<Readonly<Record<string, number>>> => {
  const input = join(directory, `${id}.ts`)
  const whole = bytesOf(await chunksOf(input, false))
  const split = bytesOf(loadedAtStart(await chunksOf(input, true)))
  return { ...(split.kb < whole.kb ? split : whole), allKb: whole.kb }
}
