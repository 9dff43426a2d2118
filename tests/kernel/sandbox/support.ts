import * as Effect from "effect/Effect"
import { Sandbox } from "@sluice/shell/kernel"

export const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** A sandbox for one test. */
export const withSandbox = <A, E>(
  use: (sandbox: Sandbox.Sandbox) => Effect.Effect<A, E>,
  options?: Sandbox.SandboxOptions,
): Effect.Effect<A, E | Sandbox.SandboxError> => Effect.scoped(Effect.flatMap(Sandbox.make(options), use))

/** What a script writes on stdout. */
export const stdoutOf = (
  sandbox: Sandbox.Sandbox | Sandbox.Session,
  script: string,
  options?: Sandbox.ScriptOptions,
): Effect.Effect<string, Sandbox.SandboxError> => Effect.map(sandbox.run(script, options), ({ stdout }) => stdout)
