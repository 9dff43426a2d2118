/** Implements `sluice agent`. Ctrl-C stops the turn; a second one kills what it runs. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Agent from "../../agent/Agent.ts"
import type { AgentEnd } from "../../agent/AgentEvent.ts"
import { aborted } from "../../base/abort.ts"
import { CommandId } from "../../command/CommandId.ts"
import { servedVariables } from "../../policy/inheritedVariables.ts"
import { quoteWord } from "../../shell-language/ShellLanguage.ts"
import { exitStatusOfFault, ownFailureStatus } from "../exitStatus.ts"
import type { CommandHandler } from "../CommandSpec.ts"
import { decodeFlags } from "../FlagSpec.ts"
import { isolationOf, withIsolatedVariable } from "../isolationFlags.ts"
import { exitStatusOfStop, type StopRequest } from "../stopOnSignals.ts"
import { terminalApprover, type TerminalApproverOptions } from "../terminalApprover.ts"
import { UsageError } from "../UsageError.ts"
import { type CliContext, withLocalShell } from "../withLocalShell.ts"
import { writeMessage } from "../writeMessage.ts"
import { type AgentFlags, agentFlags } from "./agentSpec.ts"
import { jsonPrinter, placeOf, textPrinter } from "./AgentPrinter.ts"
import { makeTextStyles } from "../journal/TextStyle.ts"
import { openSession } from "./openSession.ts"
import type { BrokenOutputError } from "../ProcessOutput.ts"

const incompleteStatus = 1

const exitStatusOf = ({ because }: AgentEnd, stop: StopRequest): number => {
  switch (because) {
    case "done":
      return 0
    case "time":
      return exitStatusOfFault({ _tag: "Timeout", afterMillis: 0, kind: "total" })
    case "interrupted":
      return exitStatusOfStop(stop)
    default:
      return incompleteStatus
  }
}

const perform = (
  flags: AgentFlags,
  task: string | undefined,
  { cli, journalNetwork, output, shell, stop }: CliContext,
): Effect.Effect<number, UsageError | BrokenOutputError, Scope.Scope> =>
  Effect.gen(function* () {
    const printer = flags.json ? jsonPrinter(output) : textPrinter(makeTextStyles(cli, 2), output)
    const approver = (options: TerminalApproverOptions) =>
      terminalApprover(cli, output, { ...options, stop: stop.signal })
    const session = yield* openSession({ flags, task, cli, shell, approver, journalNetwork })
    const limits = {
      maxTurns: flags["max-turns"] ?? session.options.maxTurns,
      maxTokens: flags["max-tokens"],
      maxCost: flags["max-cost"],
      prices: flags.prices,
      maxDuration: flags.timeout,
      interrupt: aborted(stop.signal),
    }
    const options = { id: CommandId.make(), ...session.options, ...limits }
    // Printed before the first request, because a killed run is continued by its id.
    if (session.isRecorded) yield* writeMessage(output, `run ${options.id}`)
    if (session.notice !== undefined) yield* writeMessage(output, session.notice)
    let end: AgentEnd | undefined
    const different: Array<string> = []
    yield* Stream.runForEach(Agent.run(session.services, options), (event) =>
      Effect.gen(function* () {
        if (event._tag === "AgentEnd") {
          end = event
        }
        yield* printer.print(event)
        if (event._tag !== "AgentToolCallResult" || session.differs === undefined) {
          return
        }
        if (yield* session.differs(event)) {
          different.push(placeOf(event.correlationId))
        }
      }))
    if (end === undefined) {
      return ownFailureStatus
    }
    if (different.length > 0) {
      const calls = different.length === 1 ? "this call" : `${different.length} calls`
      yield* writeMessage(
        output,
        `${calls} ended differently than in the recording: ${different.slice(0, 20).join(", ")}`,
      )
    }
    if (session.isRecorded && end.because !== "done") {
      const where = flags.record === undefined ? "" : ` --record ${quoteWord(flags.record)}`
      yield* writeMessage(output, `continue with sluice agent --resume ${end.correlationId}${where}`)
    }
    return exitStatusOf(end, stop)
  }).pipe(
    Effect.catchTag(["AgentFault", "OptionError"], ({ message }) => Effect.fail(new UsageError(message))),
  )

export const agent: CommandHandler = (words, cli) =>
  Effect.flatMap(
    Effect.fromResult(
      Result.flatMap(withIsolatedVariable(words.flags, cli), (texts) => decodeFlags(agentFlags, texts)),
    ),
    (flags) =>
      // A sandbox and a server have commands of their own.
      flags.isolated && (flags.sandbox || flags.url !== undefined)
        ? Effect.fail(new UsageError("--isolated is for commands of this machine: leave out --sandbox and --url"))
        : withLocalShell(cli, (all) => perform(flags, words.operands[0], all), {
          cwd: flags.sandbox ? undefined : flags.cwd,
          // Commands must not inherit the keys of providers.
          inheritedVariables: servedVariables,
          // The user answers on the terminal, so a command must not type there.
          ownSession: true,
          isolation: isolationOf(flags, [flags.cwd ?? "."], flags.record),
        }),
  )
