/** CPython's start: by the kernel, by `@wasmer/sdk`, and native. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { hostFolder, readOnly, Sandbox } from "../../src/sandbox/mod.ts"
import { root } from "../machine.ts"

const index = join(root, ".cache", "slow", "programs.json")
const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({ python: Schema.Struct({ path: Schema.String }) }),
  ),
)

/** The folder of CPython, when the slow suite has built it (`node tests/slow/programs/build.mjs`). */
export const pythonFolder = (): string | undefined =>
  existsSync(index) ? decode(readFileSync(index, "utf8")).python.path : undefined

const inSandbox = async (
  folder: string,
): Promise<(script: string) => Promise<string>> => {
  const sandbox = await Effect.runPromise(
    Scope.provide(
      Sandbox.make({
        programs: {
          python3: new Uint8Array(readFileSync(join(folder, "python.wasm"))),
        },
        mounts: {
          "/usr/lib/python3.11": readOnly(hostFolder(join(folder, "lib"))),
        },
        env: { PYTHONHOME: "/usr" },
      }),
      Scope.makeUnsafe(),
    ),
  )
  return async (script) =>
    (await Effect.runPromise(
      sandbox.run('python3 -c "$1"', { args: [script] }),
    )).stdout
}

const native = (): (script: string) => Promise<string> => (script) =>
  Promise.resolve(
    execFileSync("/usr/bin/python3.11", ["-c", script], { encoding: "utf8" }),
  )

/** Milliseconds of the first start, everything that is made for it included, and of the second. */
export const pythonStart = async (
  tool: string,
): Promise<{ readonly first: number; readonly second: number }> => {
  const folder = pythonFolder() ?? ""
  const start = performance.now()
  const run = tool === "native"
    ? native()
    : tool === "@wasmer/sdk"
    ? await (await import("./wasmer.ts")).pythonInWasmer(folder)
    : await inSandbox(folder)
  const times = [start]
  for (const round of [1, 2]) {
    const said = await run(`print(${round})`)
    if (said !== `${round}\n`) throw new Error(`said ${said}`)
    times.push(performance.now())
  }
  const [begun = 0, once = 0, twice = 0] = times
  return { first: once - begun, second: twice - once }
}
