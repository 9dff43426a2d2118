/** Shared parts of the tests with real programs: the programs, and sandboxes that have them. */
import { hostFolder, readOnly, Sandbox } from "@sluice/shell/sandbox"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { assumeValidOptions } from "../../src/base/attemptOptions.ts"
import type { Isolation } from "../../src/kernel/process/Programs.ts"
import { index } from "./programs/build.mjs"

const path = Schema.Struct({ path: Schema.String })
const Index = Schema.Struct({
  lua: path,
  awk: path,
  jq: path,
  jqTests: path,
  python: path,
  pandoc: path,
  clang: Schema.Struct({ path: Schema.String, resources: Schema.String }),
})

const built = Schema.decodeUnknownSync(Schema.fromJsonString(Index))(
  readFileSync(index, "utf8"),
)

/** The programs by the names that scripts call them. */
const files = {
  lua: built.lua.path,
  awk: built.awk.path,
  jq: built.jq.path,
  python3: `${built.python.path}/python.wasm`,
  pandoc: built.pandoc.path,
  llvm: built.clang.path,
}

/** A program that the slow suite has. */
export type Name = keyof typeof files

/** Where CPython and clang look for what belongs to them, and where the tests of jq are. */
const mounts = {
  "/usr/lib/python3.11": readOnly(hostFolder(`${built.python.path}/lib`)),
  "/usr/lib/python3.11/test": readOnly(hostFolder(`${built.python.path}/test`)),
  "/usr/share/jq": readOnly(hostFolder(built.jqTests.path)),
  "/usr/share/llvm": readOnly(hostFolder(built.clang.resources)),
}

const known = new Map<Name, Uint8Array<ArrayBuffer>>()

/** The same bytes each time: they are compiled once for all tests of a file. */
const bytesOf = (name: Name): Uint8Array<ArrayBuffer> => {
  const bytes = known.get(name) ?? new Uint8Array(readFileSync(files[name]))
  known.set(name, bytes)
  return bytes
}

/** A sandbox with some of the programs, for one test. */
export const withPrograms = <A, E>(
  names: ReadonlyArray<Name>,
  use: (sandbox: Sandbox.SandboxService) => Effect.Effect<A, E>,
  isolate: Isolation = "none",
): Effect.Effect<A, E | Sandbox.SandboxError> =>
  Effect.scoped(
    Effect.flatMap(
      Effect.catchTag(
        Sandbox.make({
          programs: Object.fromEntries(
            names.map((name) => [name, bytesOf(name)]),
          ),
          isolate,
          mounts,
          env: { PYTHONHOME: "/usr", PYTHONPYCACHEPREFIX: "/tmp/compiled" },
        }),
        "OptionError",
        Effect.die,
      ),
      use,
    ),
  )

/** Runs a script. Prints how long it took; nothing depends on it. */
export const run = (
  sandbox: Sandbox.SandboxService,
  script: string,
  options?: Sandbox.ScriptOptions,
): Effect.Effect<Sandbox.ScriptResult, Sandbox.SandboxError> =>
  Effect.map(
    Effect.timed(assumeValidOptions(sandbox.run(script, options))),
    ([duration, result]) => {
      const [line = ""] = script.trim().split("\n")
      console.log(
        `${Duration.toMillis(duration).toFixed(0).padStart(6)} ms  ${line.slice(0, 100)}`,
      )
      return result
    },
  )

/** What a script writes on stdout; it must end with 0 and write nothing on stderr. */
export const output = (
  sandbox: Sandbox.SandboxService,
  script: string,
  options?: Sandbox.ScriptOptions,
): Effect.Effect<string, Sandbox.SandboxError> =>
  Effect.map(run(sandbox, script, options), ({ exitCode, stderr, stdout }) => {
    if (exitCode !== 0 || stderr !== "") {
      throw new Error(`exit ${exitCode}: ${stderr}`)
    }
    return stdout
  })
