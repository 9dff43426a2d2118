import { fileURLToPath } from "node:url"
import { createContext, runInContext } from "node:vm"
import type { OutputChunk } from "rolldown"
import { rolldown } from "rolldown"
import { beforeAll, describe, expect, it } from "vitest"
import { root } from "./sources.ts"

/** What every edge isolate has, beside the language itself. */
const webGlobals = {
  AbortController,
  AbortSignal,
  Event,
  EventTarget,
  ReadableStream,
  TextDecoder,
  TextEncoder,
  TransformStream,
  URL,
  WritableStream,
  clearInterval,
  clearTimeout,
  console,
  crypto,
  performance,
  queueMicrotask,
  setInterval,
  setTimeout,
}

interface Bundle {
  readonly chunks: ReadonlyArray<OutputChunk>
  /** What the bundler had to say: a module that it cannot find for a browser, for one. */
  readonly notices: ReadonlyArray<string>
}

/** A module and all it needs, as one would bundle it for a browser or an edge isolate. */
const bundleOf = async (input: string, text?: string): Promise<Bundle> => {
  const notices: Array<string> = []
  const bundle = await rolldown({
    input,
    // A module that is no file.
    plugins: text === undefined ? [] : [{
      name: "text",
      resolveId: (id) => id === input ? id : undefined,
      load: (id) => id === input ? text : undefined,
    }],
    platform: "browser",
    transform: { define: { "import.meta": "{}" } },
    onLog: (_level, log) => void notices.push(log.message),
  })
  const { output } = await bundle.generate({ format: "iife", name: "sluice", codeSplitting: false })
  await bundle.close()
  return { chunks: output.filter((part) => part.type === "chunk"), notices }
}

/** What it would still load. A module of its own that is asked for later is in the same file. */
const outsideOf = ({ chunks }: Bundle): ReadonlyArray<string> =>
  chunks.flatMap((chunk) =>
    [...chunk.imports, ...chunk.dynamicImports].filter((specifier) => specifier !== chunk.fileName)
  )

let face: Bundle

beforeAll(async () => {
  face = await bundleOf(fileURLToPath(new URL("mod.ts", root)))
})

it("bundles for a browser with no built-in of a runtime and nothing from outside", () => {
  expect(outsideOf(face)).toEqual([])
  expect(face.notices).toEqual([])
  expect(face.chunks).toHaveLength(1)
})

it("would see a built-in", async () => {
  const bundle = await bundleOf(`data:text/javascript,import "node:fs"; import("node:child_process")`)
  expect([...outsideOf(bundle), ...bundle.notices].join()).toMatch(/node:fs/)
})

it("calls no require but in the text of a worker, and imports nothing later", () => {
  expect(face.chunks.flatMap(({ code }) => code.match(/\b(require|import)\s*\([^)]*\)/g) ?? []))
    .toEqual(['require("node:worker_threads")'])
})

it("loads where there is no process, no Deno, no Bun, and makes, encodes and cuts there", async () => {
  const isolate = createContext({ ...webGlobals })
  const gone = ["process", "Deno", "Bun", "Buffer", "global", "require", "module"]
  const left = runInContext(JSON.stringify(gone), isolate).filter((name: string) =>
    runInContext(`typeof ${name} !== "undefined"`, isolate)
  )
  expect(left).toEqual([])

  for (const { code } of face.chunks) runInContext(code, isolate)
  const told = await runInContext(
    `(async () => {
      const { ShellExec, Window } = sluice
      const exec = ShellExec.make("git", ["log"], { timeout: "2 seconds" })
      return JSON.stringify({ command: exec.command, policy: Window.lineCount(50).name })
    })()`,
    isolate,
  )
  expect(JSON.parse(told)).toEqual({ command: "git", policy: "lines:50" })
})

describe("the kernel", () => {
  let kernel: Bundle

  beforeAll(async () => {
    kernel = await bundleOf(fileURLToPath(new URL("src/kernel/mod.ts", root)))
  })

  it("bundles for a browser with no built-in of a runtime and nothing from outside", () => {
    expect(outsideOf(kernel)).toEqual([])
    expect(kernel.notices).toEqual([])
  })

  it("runs a script where there is no process, no Deno, no Bun and no file system", async () => {
    const isolate = createContext({ ...webGlobals, WebAssembly })
    for (const { code } of kernel.chunks) runInContext(code, isolate)
    const told = await runInContext(
      `(async () => {
        const { FileSystem, Kernel, OpenFile, ShellProgram } = sluice
        const fileSystem = FileSystem.VirtualFileSystem.make({ now: () => 0n })
        const program = async (system) => (await system.writeAll(1, new TextEncoder().encode("one\\n"))) && 1
        const kernel = Kernel.make({ fileSystem, programs: { sh: ShellProgram.make(), one: program } })
        const out = new OpenFile.BufferFile()
        const fds = { 0: new OpenFile.NullFile(), 1: out, 2: out }
        const script = "one > f; { read x; echo got $x; } < f; one | while read y; do echo $y; done; exit 4"
        const process = kernel.start({ program: "sh", args: ["sh", "-c", script], fds })
        const { exitCode } = await process.exited
        return JSON.stringify([exitCode, out.text])
      })()`,
      isolate,
    )
    expect(JSON.parse(told)).toEqual([4, "got one\none\n"])
  })
})

describe("the sandbox", () => {
  const facade = fileURLToPath(new URL("src/sandbox/mod.ts", root))

  it("has only the utilities that a bundle imports", async () => {
    const utilitiesOf = async (used: string): Promise<number> => {
      const bundle = await bundleOf(
        "entry",
        `import { Sandbox, Utilities } from ${JSON.stringify(facade)}; console.log(${used})`,
      )
      return bundle.chunks.flatMap(({ moduleIds }) => moduleIds).filter((id) => id.includes("/utilities/")).length
    }
    expect(await utilitiesOf("Sandbox.makeBare")).toBe(0)
    expect(await utilitiesOf("Utilities.cat")).toBeLessThan(12)
    expect(await utilitiesOf("Sandbox.make")).toBeGreaterThan(60)
  })

  it("runs a script through promises where there is no process, no Deno, no Bun and no file system", async () => {
    const sandbox = await bundleOf(facade)
    expect([...outsideOf(sandbox), ...sandbox.notices]).toEqual([])
    const isolate = createContext({ ...webGlobals, WebAssembly })
    for (const { code } of sandbox.chunks) runInContext(code, isolate)
    const told = await runInContext(
      `(async () => {
        const sandbox = await sluice.Sandbox.open({ files: { "names.txt": "b\\na\\n" } })
        const { stdout } = await sandbox.run("sort names.txt")
        await sandbox.close()
        return stdout
      })()`,
      isolate,
    )
    expect(told).toBe("a\nb\n")
  })
})
