import * as Effect from "effect/Effect"
import { Sandbox } from "@sluice/shell/sandbox"
import { assumeValidOptions } from "../../../src/base/attemptOptions.ts"
import type { OptionError } from "../../../src/base/OptionError.ts"

export const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** A sandbox for one test. */
export const withSandbox = <A, E>(
  use: (sandbox: Sandbox.SandboxService) => Effect.Effect<A, E>,
  options?: Sandbox.SandboxOptions,
): Effect.Effect<A, E | Sandbox.SandboxError> =>
  Effect.scoped(Effect.flatMap(assumeValidOptions(Sandbox.make(options)), use))

/** What a script writes on stdout. */
export const stdoutOf = (
  sandbox: Sandbox.SandboxService | Sandbox.Session,
  script: string,
  options?: Sandbox.ScriptOptions,
): Effect.Effect<string, Sandbox.SandboxError> =>
  Effect.map(assumeValidOptions(sandbox.run(script, options)), ({ stdout }) => stdout)

/** The error of an operation whose options are valid. */
export const failureOf = <A>(
  operation: Effect.Effect<A, Sandbox.SandboxError | OptionError>,
): Effect.Effect<Sandbox.SandboxError, A> => Effect.flip(assumeValidOptions(operation))
