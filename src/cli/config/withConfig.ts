/**
 * Loads a configuration file where one is named.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { nodeProcess } from "../../leaves/local/nodeBuiltins.ts"
import type { FlagSpec } from "../flags.ts"
import type { FlagWords } from "../flagValues.ts"
import type { OwnProcess } from "../OwnProcess.ts"
import { OwnOutput } from "../Output.ts"
import { say } from "../say.ts"
import type { UsageError } from "../UsageError.ts"
import type { Configured } from "./configured.ts"

/** The name of the file that is looked for, and only named. */
export const usualFile = "sluice.toml"

/** The flag that names the file. */
export const configFlag: Readonly<Record<"config", FlagSpec>> = {
  "config": {
    kind: "value",
    metavar: "FILE",
    about:
      "Settings in TOML or JSON: each key is a flag of this list; flags count before it. Default: SLUICE_CONFIG, else none",
  },
}

/** Looks, and opens nothing: a FIFO without a writer would be waited for. */
const isThere = (file: string): boolean => nodeProcess()?.getBuiltinModule("node:fs").existsSync(file) ?? false

/**
 * The flags of a command with those of its file. A `sluice.toml` in the working directory is not read by itself: servers
 * are started in directories that others write, and the file says what may run.
 */
export const withConfig = (
  own: OwnProcess,
  name: string,
  words: FlagWords,
): Effect.Effect<Configured, UsageError> =>
  Effect.gen(function* () {
    const file = words.get("config")?.[0] ?? (own.variable("SLUICE_CONFIG") || undefined)
    if (file !== undefined) {
      const { configured } = yield* Effect.promise(() => import("./configured.ts"))
      return yield* configured(own, file, name, words)
    }
    if (isThere(usualFile)) {
      yield* Effect.ignore(say(new OwnOutput(own), `${usualFile} is not read: --config ${usualFile} reads it`))
    }
    return { words, tokens: undefined }
  })
