/**
 * The same C programs under `@wasmer/sdk`. Its shell comes from a registry, so the pipelines are put together here: the
 * host carries bytes from one program to the next.
 */
import { type Process, Wasmer } from "@wasmer/sdk/node"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Pipeline } from "./Pipeline.ts"

const carry = async (from: Process, to: Process): Promise<void> => {
  for await (const bytes of from.stdout ?? []) await to.stdin?.write(bytes)
  await to.stdin?.close()
}

/** Pipelines of a program. */
export const inWasmer = async (wasm: string): Promise<Pipeline> => {
  const wasmer = new Wasmer()
  const program = await wasmer.packages.load(
    new Uint8Array(readFileSync(wasm)),
  )
  const sandbox = await wasmer.sandboxes.create({ packages: [program] })
  return async (stages) => {
    const running: Array<Process> = []
    for (const [index, words] of stages.entries()) {
      running.push(
        await sandbox.command(program, [...words]).spawn({
          stdin: index === 0 ? "closed" : "pipe",
          stdout: "pipe",
          stderr: "discard",
        }),
      )
    }
    const carried = running.slice(1).map((to, index) => {
      const from = running[index]
      return from === undefined ? Promise.resolve() : carry(from, to)
    })
    const decoder = new TextDecoder()
    let text = ""
    for await (const bytes of running.at(-1)?.stdout ?? []) {
      text += decoder.decode(bytes, { stream: true })
    }
    await Promise.all(carried)
    for (const process of running) await process.wait({ check: true })
    return text
  }
}

/** CPython with its library: runs `python3 -c SCRIPT`. */
export const pythonInWasmer = async (
  folder: string,
): Promise<(script: string) => Promise<string>> => {
  const wasmer = new Wasmer()
  const library = join(folder, "lib")
  const files = readdirSync(library, {
    recursive: true,
    withFileTypes: true,
    encoding: "utf8",
  })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [
        `/usr/lib/python3.11/${path.slice(library.length + 1)}`,
        new Uint8Array(readFileSync(path)),
      ] as const
    })
  const program = await wasmer.packages.create({
    modules: {
      python: new Uint8Array(readFileSync(join(folder, "python.wasm"))),
    },
    commands: { python3: { module: "python" } },
    // It looks for this folder to know where it is installed; a package has no empty ones.
    files: {
      ...Object.fromEntries(files),
      "/usr/lib/python3.11/lib-dynload/none": "",
    },
  })
  const sandbox = await wasmer.sandboxes.create({ packages: [program] })
  return async (script) =>
    (await sandbox.command(program, ["-c", script], {
      env: { PYTHONHOME: "/usr" },
    }).run()).text()
}
