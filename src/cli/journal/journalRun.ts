/**
 * Wraps the shell of `sluice run` so that the command is recorded in a journal.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { currentHost } from "../../branch/HostIdentity.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { nodeProcess } from "../../leaves/local/nodeProcess.ts"
import { aborted } from "../../base/abort.ts"
import { makeJournaled } from "../../compute/makeJournaled.ts"
import { makeJournalFault } from "../../compute/makeJournalFault.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { CliProcess } from "../CliProcess.ts"
import { makeRedactor, withSecretVariables } from "../redaction.ts"
import type { RunRequest } from "../RunRequest.ts"
import type { UsageError } from "../UsageError.ts"
import { endLostCommands } from "./endLostCommands.ts"
import { configuredLocation } from "./location.ts"
import { openJournal } from "./openJournal.ts"

/** A command, and the shell that it runs on. */
export interface CommandAndShell {
  readonly exec: ShellExec
  readonly shell: ShellService
}

const isAbsolute = (path: string): boolean => /^(?:[/\\]|[a-z]:)/i.test(path)

/** The command with the directory that it runs in: who reads the journal later does not know where we were. */
const placed = (exec: ShellExec): ShellExec => {
  const { workingDirectory = "." } = exec
  if (isAbsolute(workingDirectory)) return exec
  try {
    const here = nodeProcess()?.cwd()
    if (here === undefined) return exec
    return new ShellExec({
      ...exec,
      workingDirectory: workingDirectory === "." ? here : `${here}/${workingDirectory}`,
    })
  } catch {
    // It is gone, or may not be known: the leaf will say so, if it matters.
    return exec
  }
}

const cancelled = (exec: ShellExec, signal: AbortSignal): Effect.Effect<never, ShellFault> =>
  Effect.andThen(
    aborted(signal),
    Effect.fail(
      ShellFault.because(exec.commandId, { _tag: "Cancelled" }, `exec: ${exec.command} was cancelled (CANCELLED)`),
    ),
  )

/** Puts the journal that was asked for around a shell. One that cannot be opened is the command's fault: it is not run. */
export const journalRun = (
  own: CliProcess,
  { journal: at, redaction }: Pick<RunRequest, "journal" | "redaction">,
  { exec, shell }: CommandAndShell,
  signal: AbortSignal,
): Effect.Effect<CommandAndShell, ShellFault | UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    const location = configuredLocation(own, at)
    if (location === undefined) return { exec, shell }
    const redactor = yield* Effect.fromResult(makeRedactor(redaction, own, exec))
    const journal = yield* openJournal(yield* location, "append").pipe(
      Effect.catchTag("JournalError", (error) => Effect.fail(makeJournalFault(exec, error, false))),
      // A server that does not answer is waited for; somebody who wants to leave is not kept.
      Effect.raceFirst(cancelled(exec, signal)),
    )
    // Beside the command, and done before we leave; trouble with it is not the command's.
    const ending = yield* Effect.forkScoped(Effect.ignore(endLostCommands(shell, journal)))
    yield* Effect.addFinalizer(() => Effect.timeoutOption(Fiber.await(ending), "2 seconds"))
    const run = withSecretVariables(placed(exec), redaction)
    return { exec: run, shell: makeJournaled(shell, journal, yield* currentHost, { redactor }) }
  })
