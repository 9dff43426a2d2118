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

const bytesOf = (chunks: ReadonlyArray<OutputChunk>): { readonly kb: number; readonly minifiedKb: number } => {
  const code = chunks.map((part) => part.code).join("")
  return {
    kb: gzipSync(code, { level: 9 }).length / 1000,
    minifiedKb: Buffer.byteLength(code) / 1000,
  }
}

/** The chunks that an entry loads at its start. */
const loadedAtStart = (chunks: ReadonlyArray<OutputChunk>): ReadonlyArray<OutputChunk> => {
  const loaded = new Set<string>()
  const visit = (name: string): void => {
    if (loaded.has(name)) return
    loaded.add(name)
    for (const next of chunks.find((part) => part.fileName === name)?.imports ?? []) visit(next)
  }
  for (const part of chunks) if (part.isEntry) visit(part.fileName)
  return chunks.filter((part) => loaded.has(part.fileName))
}

/** Size of a bundle in KB (10^3 bytes), minified and gzipped: what is loaded at start, and all. */
export const bundleSize = async (id: string): Promise<Readonly<Record<string, number>>> => {
  const build = await rolldown({
    input: join(directory, `${id}.ts`),
    platform: "node",
    logLevel: "silent",
    cwd: root,
  })
  try {
    const { output } = await build.generate({ format: "esm", minify: true })
    const chunks = output.filter((part) => part.type === "chunk")
    const { kb, minifiedKb } = bytesOf(loadedAtStart(chunks))
    return { kb, minifiedKb, allKb: bytesOf(chunks).kb }
  } finally {
    await build.close()
  }
}
