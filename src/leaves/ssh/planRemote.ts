/** Plans a command for a server, or refuses it: its words, environment, directory, limits and terminal. */
import * as Result from "effect/Result"
import { quote } from "../../base/quote.ts"
import type { CommandLimits } from "../../command/CommandLimits.ts"
import { isSecret, reveal } from "../../command/Secret.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { ProcessRunOptions } from "../../shell/ProcessLeaf.ts"
import { validateExec } from "../../shell/validateExec.ts"
import type { ServerFacts } from "./RemoteWatchdog.ts"
import type { SshLeafSettings } from "./SshShellOptions.ts"
import { areTooLong, explainTooLong, variablesOf, wordsOf } from "../../host/faults/argumentLimit.ts"
import { isShellName } from "../../host/systemShell.ts"
import { limitCommands as commonLimits } from "../../sh-session/startFunctions.ts"
import type { RemoteStart } from "./startScript.ts"

const fault = (exec: ShellExec, reason: FaultReason, message: string): Result.Result<never, ShellFault> =>
  Result.fail(ShellFault.because(exec.commandId, reason, `exec: ${message}`))

/** Refuses words that are too long for any process of the server, before they are sent. */
const checkLength = (
  exec: ShellExec,
  { maxWordBytes = Infinity, os }: ServerFacts,
): Result.Result<void, ShellFault> => {
  const maxOneBytes = os === "Linux" ? undefined : Infinity
  if (![wordsOf(exec), variablesOf(exec)].some((strings) => areTooLong(strings, maxWordBytes, maxOneBytes))) {
    return Result.succeed(undefined)
  }
  const { issue, reason } = explainTooLong(exec, "E2BIG", maxWordBytes === Infinity ? undefined : maxWordBytes)
  return fault(exec, reason, `${issue} (E2BIG)`)
}

const limitCommands: Readonly<Record<keyof CommandLimits, (value: number, facts: ServerFacts) => string>> = {
  ...commonLimits,
  processes: (value) => `prlimit --pid $$ --nproc=${value}:${value} || _slf limit processes`,
  // sh counts in blocks of 512 bytes.
  fileSizeBytes: (value, { hasPrlimit }) =>
    value % 512 === 0 || !hasPrlimit
      ? `ulimit -f ${Math.floor(value / 512)} || _slf limit fileSizeBytes`
      : `prlimit --pid $$ --fsize=${value}:${value} || _slf limit fileSizeBytes`,
}

const planLimits = (exec: ShellExec, facts: ServerFacts): Result.Result<ReadonlyArray<string>, ShellFault> => {
  const { cpuSeconds, fileSizeBytes, memoryBytes, processes } = exec.limits ?? {}
  const wanted = ([["cpuSeconds", cpuSeconds], ["fileSizeBytes", fileSizeBytes], ["processes", processes], [
    "memoryBytes",
    memoryBytes,
  ]] as const).flatMap(([name, value]) => value === undefined ? [] : [[name, value] as const])
  const refused = wanted.find(([name]) => !facts.limits.includes(name))
  if (refused !== undefined) {
    const why = refused[0] === "processes" && facts.isRoot ? "for root" : "on the server: its sh cannot set it"
    return fault(
      exec,
      { _tag: "InvalidRequest", field: `limits.${refused[0]}`, code: "ENOTSUP" },
      `the limit ${refused[0]} cannot be enforced ${why} (ENOTSUP)`,
    )
  }
  return Result.succeed(wanted.map(([name, value]) => limitCommands[name](value, facts)))
}

const joinPath = (base: string | undefined, path: string | undefined): string | undefined => {
  const joined = path === undefined || base === undefined || path.startsWith("/") ? path ?? base : `${base}/${path}`
  // cd(1) looks for other relative paths in CDPATH, and reads `-` as the directory before.
  return joined === undefined || joined.startsWith("/") ? joined : `./${joined}`
}

/** Plans a command. `stdin`: whether it gets input. */
export const planRemote = (
  exec: ShellExec,
  { facts, marker, settings, stdin, terminal }: Pick<ProcessRunOptions, "terminal"> & {
    readonly stdin: boolean
    readonly marker: string
    readonly facts: ServerFacts
    readonly settings: SshLeafSettings
  },
): Result.Result<RemoteStart, ShellFault> =>
  Result.gen(function* () {
    const invalid = validateExec(exec)
    if (invalid !== undefined) return yield* Result.fail(invalid)
    yield* checkLength(exec, facts)
    if (terminal !== undefined && !facts.hasStty) {
      return yield* fault(
        exec,
        { _tag: "InvalidRequest", field: "terminal", code: "ENOTSUP" },
        `${exec.command} cannot have a terminal: the server has no stty (ENOTSUP)`,
      )
    }
    const clears = !(exec.inheritEnvironment ?? settings.extendEnv)
    const entries = Object.entries(exec.environment ?? {})
    const hidden = entries.find(([name, value]) => value !== null && isSecret(value) && !isShellName(name))
    if (hidden !== undefined) {
      return yield* fault(
        exec,
        { _tag: "InvalidRequest", field: "environment", code: "ENOTSUP" },
        `sh has no variable of the name ${
          quote(hidden[0])
        }, and other users could read the secret in a list of arguments: ` +
          "use a name of letters, digits and _ (ENOTSUP)",
      )
    }
    const limits = yield* planLimits(exec, facts)
    const program = exec.useShell ? settings.defaultShell : exec.command
    const needsEnv = clears || entries.some(([name]) => !isShellName(name))
    if (needsEnv && program.includes("=")) {
      return yield* fault(
        exec,
        { _tag: "InvalidRequest", field: "command", code: "EINVAL" },
        `env(1), which is needed for this environment, would read ${program} as a variable (EINVAL)`,
      )
    }
    return {
      marker,
      program,
      args: exec.useShell ? ["-c", exec.command] : exec.arguments.map((word) => reveal(word) ?? ""),
      directory: joinPath(settings.cwd, exec.workingDirectory),
      variables: entries.map(([name, value]) => [name, value === null ? null : reveal(value) ?? ""] as const),
      clearWith: clears ? facts.env : undefined,
      env: facts.env,
      localBin: exec.localBin ?? settings.localBin,
      merge: exec.mergeStreams === true,
      hasInput: stdin,
      terminal: terminal !== undefined,
      limits,
      // sshd does not name these signals: https://github.com/openssh/openssh-portable/blob/master/session.c, sig2name.
      waits: exec.limits?.cpuSeconds !== undefined || exec.limits?.fileSizeBytes !== undefined,
    }
  })
