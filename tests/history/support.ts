/** Writes journal entries of commands as a shell or a daemon does, for tests. */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import { draftBranchEntry } from "../../src/branch/BranchEntry.ts"
import { type Branch, draftEvent, draftRequest } from "../../src/branch/BranchDefinition.ts"
import { currentHost, type HostIdentity } from "../../src/branch/HostIdentity.ts"
import type { FaultReason } from "../../src/command/FaultReason.ts"
import type { OutputStream } from "../../src/command/ShellEvent.ts"
import { ShellExec, type ShellExecOptions } from "../../src/command/ShellExec.ts"
import { ShellFault } from "../../src/command/ShellFault.ts"
import { Journal, type JournalError, MemoryJournal } from "../../src/journal/Journal.ts"
import { ComputeBranch, type ComputeEvent } from "../../src/compute/ComputeBranch.ts"
import type { RecordedOutput } from "../../src/compute/RunEnd.ts"

const compute: Branch<ShellExec, ComputeEvent> = ComputeBranch

/** On a journal of its own. */
export const onJournal = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E | JournalError, Exclude<R, Journal>> => Effect.provide(effect, MemoryJournal.layer)

/** Asks for a command. */
export const ask = (commandId: string, words: ReadonlyArray<string> = ["true"], options: ShellExecOptions = {}) => {
  const [program = "", ...args] = words
  const exec = ShellExec.make(program, args, { ...options, commandId })
  return Journal.append([draftRequest(compute, exec)])
}

/** Takes a command on. */
export const take = (
  commandId: string,
  { attempt = 1, daemon = "in-process", host, lasts = null }: {
    readonly attempt?: number
    readonly daemon?: string
    readonly host?: HostIdentity
    readonly lasts?: number | null
  } = {},
) =>
  Effect.gen(function* () {
    const own = host ?? (yield* currentHost)
    return yield* Journal.append([
      draftBranchEntry(compute, commandId, {
        _tag: "LeaseTaken",
        daemonId: daemon,
        host: own,
        attempt,
        leaseMillis: lasts,
      }),
    ])
  })

/** A piece of output: text, or bytes that were not decoded. */
export interface Piece {
  readonly stream?: OutputStream
  readonly text?: string
  readonly bytes?: ReadonlyArray<number>
  readonly at?: number
}

/** Writes output of a command, in one entry. */
export const write = (commandId: string, ...pieces: ReadonlyArray<Piece>) =>
  Journal.append([
    draftEvent(compute, {
      _tag: "ShellOutputChunks",
      commandId,
      fromSeq: 0,
      toSeq: pieces.length - 1,
      chunks: pieces.map(({ at = 0, bytes, stream = "stdout", text = "" }, seq) => ({
        ...(bytes === undefined ? { content: text } : { base64: Base64.encode(Uint8Array.from(bytes)) }),
        seq,
        stream,
        timestamp: at,
      })),
    }),
  ])

/** Ends a command with an exit. */
export const exit = (commandId: string, exitCode = 0, more: Partial<typeof RecordedOutput.Type> = {}) =>
  Journal.append([
    draftEvent(compute, {
      _tag: "ShellOutput",
      commandId,
      exitCode,
      duration: 12,
      completed: 0,
      drain: "eof",
      executable: "/bin/true",
      stdoutBytes: 0,
      stderrBytes: 0,
      stdoutBytesOmitted: 0,
      stderrBytesOmitted: 0,
      ...more,
    }),
  ])

/** Ends a command with a fault. */
export const fault = (commandId: string, reason: FaultReason, message = "exec: it went wrong") =>
  Journal.append([draftEvent(compute, ShellFault.because(commandId, reason, message))])

/** Asks for a command that runs in this process and exits at once. */
export const ran = (commandId: string, words?: ReadonlyArray<string>, exitCode = 0, options?: ShellExecOptions) =>
  Effect.all([ask(commandId, words, options), take(commandId), exit(commandId, exitCode)])

/** A process that cannot be there: of this machine, started before it was. */
export const deadHost = Effect.map(
  currentHost,
  (host): HostIdentity => ({ ...host, pid: 2 ** 22 + 1, processStart: "0" }),
)

/** A process of a machine that is not visible here. */
export const farHost = Effect.map(currentHost, (host): HostIdentity => ({ ...host, host: "far", machine: "far" }))
