/** Answers the requests of a test in the isolate or the page. */
import type { Sandbox } from "@sluice/shell/sandbox"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { assumeValidOptions } from "../../../src/base/attemptOptions.ts"
import type { OptionError } from "../../../src/base/OptionError.ts"

/** How a run of a script ended. */
export interface Answer {
  readonly exitCode?: number
  readonly signal?: string | undefined
  readonly stdout: string
  readonly stderr: string
  /** The reason of its error. */
  readonly failed?: string
  /** Whether a timer of the host fired while it ran. */
  readonly ticked: boolean
}

/** Runs a script in a sandbox of its own, beside a timer of 1 ms. */
export const answer = async (
  made: Effect.Effect<Sandbox.SandboxService, Sandbox.SandboxError | OptionError, Scope.Scope>,
  script: string,
  options?: Sandbox.ScriptOptions,
): Promise<Answer> => {
  let ticked = false
  const timer = setInterval(() => ticked = true, 1)
  const ran = Effect.match(
    assumeValidOptions(Effect.flatMap(made, (sandbox) => sandbox.run(script, options))),
    {
      onSuccess: ({ exitCode, signal, stderr, stdout }) => ({ exitCode, signal, stdout, stderr }),
      onFailure: ({ reason, stderr, stdout }) => ({ failed: reason._tag, stdout, stderr }),
    },
  )
  try {
    return { ...await Effect.runPromise(Effect.scoped(ran)), ticked }
  } finally {
    clearInterval(timer)
  }
}
