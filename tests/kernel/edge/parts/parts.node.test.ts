/** Tests which parts of the kernel a page loads, and when. */
import { fileURLToPath } from "node:url"
import { type OutputChunk, rolldown } from "rolldown"
import { expect, it } from "vitest"

const kernel = fileURLToPath(new URL("../../../../src/kernel/", import.meta.url))

/** A page with a kernel and a shell, in as many files as a bundler makes of it. */
const chunksOf = async (): Promise<ReadonlyArray<OutputChunk>> => {
  const built = await rolldown({ input: fileURLToPath(new URL("./page.ts", import.meta.url)), platform: "browser" })
  const { output } = await built.generate({ format: "esm" })
  await built.close()
  return output.filter((part) => part.type === "chunk")
}

it("loads the code for WASM, workers, regular expressions, printf, declarations and jobs at their first use", async () => {
  const chunks = await chunksOf()
  const start = new Set<OutputChunk>()
  const add = (chunk: OutputChunk | undefined): void => {
    if (chunk === undefined || start.has(chunk)) return
    start.add(chunk)
    for (const name of chunk.imports) add(chunks.find(({ fileName }) => fileName === name))
  }
  add(chunks.find(({ isEntry }) => isEntry))
  const filesOf = (some: Iterable<OutputChunk>): ReadonlyArray<string> =>
    [...some].flatMap(({ moduleIds }) => moduleIds).filter((id) => id.startsWith(kernel)).map((id) =>
      id.slice(kernel.length)
    )
  const later = [
    "worker/launchInWorker.ts",
    "process/WasmProgram.ts",
    "wasi/wasiImports.ts",
    "regex/Regex.ts",
    "shell/builtins/printf.ts",
    "shell/builtins/declare.ts",
    "shell/builtins/jobs.ts",
    "shell/builtins/mapfile.ts",
  ]
  expect(filesOf(start)).toContain("shell/execute.ts")
  expect(filesOf(start).filter((file) => later.includes(file))).toEqual([])
  expect(filesOf(chunks)).toEqual(expect.arrayContaining(later))
})
