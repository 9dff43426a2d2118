/** Merges the flags of a subcommand with the configuration file, and warns of a `sluice.toml` that is not read. */
import * as Effect from "effect/Effect"
import { nodeProcess } from "../../host/nodeProcess.ts"
import type { FlagTexts } from "../FlagSpec.ts"
import type { CliProcess } from "../CliProcess.ts"
import { withIsolatedVariable } from "../isolationFlags.ts"
import { ProcessOutput } from "../ProcessOutput.ts"
import { tryMessage } from "../writeMessage.ts"
import type { UsageError } from "../UsageError.ts"
import type { ConfiguredFlags } from "./readConfiguredFlags.ts"

/** Name of the file that a message points to; it is never read by itself. */
export const defaultConfigFile = "sluice.toml"

/** Tests existence without opening: opening a FIFO without a writer would block. */
const isThere = (file: string): boolean => nodeProcess()?.getBuiltinModule("node:fs").existsSync(file) ?? false

/**
 * Merges the flags of a subcommand with those of its file. A `sluice.toml` in the working directory is not read by
 * itself: servers are started in directories that others write, and the file decides what may run.
 */
export const applyConfigFlag = (
  cli: CliProcess,
  name: string,
  given: FlagTexts,
): Effect.Effect<ConfiguredFlags, UsageError> =>
  Effect.gen(function* () {
    const texts = yield* Effect.fromResult(withIsolatedVariable(given, cli))
    const file = texts.get("config")?.[0] ?? (cli.variable("SLUICE_CONFIG") || undefined)
    if (file !== undefined) {
      const { readConfiguredFlags } = yield* Effect.promise(() => import("./readConfiguredFlags.ts"))
      return yield* readConfiguredFlags(cli, file, name, texts)
    }
    if (isThere(defaultConfigFile)) {
      yield* tryMessage(
        new ProcessOutput(cli),
        `${defaultConfigFile} is ignored; pass --config ${defaultConfigFile} to use it`,
      )
    }
    return { texts, tokens: undefined }
  })
