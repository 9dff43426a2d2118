/** Measures the size of the kernel with its shell, for a page or an isolate. */
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

/** KB (10^3 bytes), minified and gzipped: what is loaded at start, and that with everything that may be loaded later. */
export const bundleSizes = async (): Promise<
  { readonly kb: number; readonly allKb: number }
> => {
  const build = await rolldown({
    input: join(import.meta.dirname, "shell.ts"),
    platform: "browser",
    logLevel: "silent",
  })
  try {
    const { output } = await build.generate({ format: "esm", minify: true })
    const chunks = output.filter((part) => part.type === "chunk")
    const sizes = new Map(
      chunks.map((
        { code, fileName },
      ) => [fileName, gzipSync(code, { level: 9 }).length / 1000]),
    )
    // Files that the first one imports at once belong to it.
    const first = new Set<string>()
    const add = (fileName: string): void => {
      if (first.has(fileName)) return
      first.add(fileName)
      for (
        const other of chunks.find((chunk) => chunk.fileName === fileName)?.imports ?? []
      ) add(other)
    }
    for (const { fileName, isEntry } of chunks) if (isEntry) add(fileName)
    const sum = (names: Iterable<string>): number => [...names].reduce((kb, name) => kb + (sizes.get(name) ?? 0), 0)
    return { kb: sum(first), allKb: sum(sizes.keys()) }
  } finally {
    await build.close()
  }
}
