/** Journals the command of `sluice run` and `sluice code`, and ends commands that killed runs have left behind. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { currentHost } from "../../branch/HostIdentity.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { nodeProcess } from "../../host/nodeProcess.ts"
import { type Platform, toAbsolute } from "../../host/paths.ts"
import { aborted } from "../../base/abort.ts"
import type { JournalService } from "../../journal/JournalService.ts"
import { makeJournaled } from "../../compute/makeJournaled.ts"
import { makeJournalFault } from "../../compute/makeJournalFault.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { CliProcess } from "../CliProcess.ts"
import { makeRedactor, withSecretVariables } from "../redaction.ts"
import type { RunRequest } from "../RunRequest.ts"
import type { UsageError } from "../UsageError.ts"
import { endLostCommands } from "./endLostCommands.ts"
import { configuredLocation, openJournal } from "./openJournal.ts"

export interface CommandAndShell {
  readonly exec: ShellExec
  readonly shell: ShellService
  readonly journal?: JournalService | undefined
}

/** Adds the working directory to the command: a later reader of the journal does not know it. */
const placed = (exec: ShellExec, platform: Platform): ShellExec => {
  try {
    const here = nodeProcess()?.cwd()
    if (here === undefined) return exec
    return new ShellExec({ ...exec, workingDirectory: toAbsolute(platform, here, exec.workingDirectory ?? ".") })
  } catch {
    // The directory is gone or unreadable: the leaf reports it if it matters.
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

/** Wraps a shell with the requested journal. If it cannot be opened, the command fails and does not run. */
export const journalRun = (
  cli: CliProcess,
  { journal: at, redaction }: Pick<RunRequest, "journal" | "redaction">,
  { exec, shell }: CommandAndShell,
  signal: AbortSignal,
): Effect.Effect<CommandAndShell, ShellFault | UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    const location = yield* configuredLocation(cli, at)
    if (location === undefined) return { exec, shell }
    const redactor = yield* Effect.fromResult(makeRedactor(redaction, cli, exec))
    const journal = yield* openJournal(location, "append").pipe(
      Effect.catchTag("JournalError", (error) => Effect.fail(makeJournalFault(exec, error, false))),
      // Retries while the server does not respond; a signal interrupts the wait.
      Effect.raceFirst(cancelled(exec, signal)),
    )
    // Runs beside the command and ends before the exit; its errors are not the command's.
    const ending = yield* Effect.forkScoped(Effect.ignore(endLostCommands(shell, journal)))
    yield* Effect.addFinalizer(() => Effect.timeoutOption(Fiber.await(ending), "2 seconds"))
    const run = withSecretVariables(placed(exec, shell.capabilities.platform), redaction)
    return { exec: run, shell: makeJournaled(shell, journal, yield* currentHost, { redactor }), journal }
  })
