/** Implements `sluice run --explain`: prints a policy's decisions about the commands of a script. */
import * as Effect from "effect/Effect"
import { encodeUtf8 } from "../base/bytes.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { AccessPolicy, type CommandDecision, type ExplainedCommand } from "../policy/mod.ts"
import { Shell } from "../shell/Shell.ts"
import type { CliProcess } from "./CliProcess.ts"
import type { CommandHandler } from "./CommandSpec.ts"
import type { CommandPolicyFlags } from "./commandPolicyFlags.ts"
import { enterFirstRoot } from "./enterFirstRoot.ts"
import { exitStatusOfFault } from "./exitStatus.ts"
import { guardShell } from "./guardShell.ts"
import { localShellOptions, readCommandPolicy } from "./serverFlags.ts"
import { UsageError } from "./UsageError.ts"
import { withLocalShell } from "./withLocalShell.ts"
import { writeMessage } from "./writeMessage.ts"

/** The exit status if a command is refused, the same as of a refused run. */
const refusedStatus = 126

export interface ExplainRequest {
  readonly flags: CommandPolicyFlags
  readonly json: boolean
}

const maxColumns = 80

const lineOf = (command: string): string => {
  const [first = "", ...rest] = command.split("\n")
  const isCut = rest.length > 0 || first.length > maxColumns
  return isCut ? `${first.slice(0, maxColumns - 1)}…` : first
}

const detailOf = (decision: CommandDecision): string => {
  switch (decision._tag) {
    case "Allowed":
      return `  (${decision.path})`
    case "Refused":
      return `  (${decision.message.replace(/^exec: /, "")})`
    default:
      return ""
  }
}

const textOf = ({ command, decision, position }: ExplainedCommand): string => {
  const place = position === undefined ? "" : `${position.line}:${position.column}  `
  return `${place}${decision._tag.toLowerCase()}  ${lineOf(command)}${detailOf(decision)}\n`
}

/** Explains a command; the exit status shows whether the policy refuses a part of it. */
export const explainRun = (
  exec: ShellExec,
  { flags, json }: ExplainRequest,
  cli: CliProcess,
): ReturnType<CommandHandler> => {
  const request = enterFirstRoot(readCommandPolicy(flags, cli, undefined))
  if (request.allowed === undefined) {
    return Effect.fail(
      new UsageError("--explain requires --allow-command, ALLOWED_COMMANDS or a --config with allow-command"),
    )
  }
  const options = localShellOptions({ ...request, flags: { ...flags, journal: undefined } })
  return withLocalShell(cli, ({ output, shell }) =>
    Effect.gen(function* () {
      const { policy } = yield* guardShell(shell, request, output)
      if (policy === undefined) return 0
      const commands = yield* AccessPolicy.explain(policy, exec).pipe(Effect.provideService(Shell, shell))
      const lines = commands.map((command) => json ? `${JSON.stringify(command)}\n` : textOf(command))
      yield* output.write(1, encodeUtf8(lines.join("")))
      return commands.some(({ decision }) => decision._tag === "Refused") ? refusedStatus : 0
    }).pipe(
      Effect.catchTag("ShellFault", ({ message, reason }) =>
        Effect.as(writeMessage(output, message), exitStatusOfFault(reason))),
      Effect.catchTag("AccessPolicyError", ({ message }) =>
        Effect.fail(new UsageError(message))),
    ), options)
}
