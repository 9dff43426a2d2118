import * as Effect from "effect/Effect"
import { Sandbox } from "@sluice/shell/sandbox"

export const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** A sandbox for one test. */
export const withSandbox = <A, E>(
  use: (sandbox: Sandbox.SandboxService) => Effect.Effect<A, E>,
  options?: Sandbox.SandboxOptions,
): Effect.Effect<A, E | Sandbox.SandboxError> =>
  Effect.scoped(Effect.flatMap(Effect.catchTag(Sandbox.make(options), "OptionError", Effect.die), use))

/** What a script writes on stdout. */
export const stdoutOf = (
  sandbox: Sandbox.SandboxService | Sandbox.Session,
  script: string,
  options?: Sandbox.ScriptOptions,
): Effect.Effect<string, Sandbox.SandboxError> => Effect.map(sandbox.run(script, options), ({ stdout }) => stdout)
