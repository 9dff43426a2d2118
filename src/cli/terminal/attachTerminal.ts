/** Attaches the user's terminal to one on an execution server. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { completeLater } from "../../base/waits.ts"
import { aborted } from "../../base/abort.ts"
import { encodeUtf8 } from "../../base/bytes.ts"
import { TerminalPrinter } from "../../terminal/TerminalPrinter.ts"
import type { RemoteClient } from "../../client/Client.ts"
import { type RemoteError, statusOf } from "../../client/RemoteError.ts"
import { lostInputText, PermanentFailure, TerminalLink } from "../../client/TerminalLink.ts"
import type { CommandId } from "../../command/CommandId.ts"
import type { ShellFault } from "../../command/ShellFault.ts"
import { decodeEvent } from "../../wire/mod.ts"
import type { CliProcess } from "../CliProcess.ts"
import { inputStream } from "../commandInput.ts"
import { exitStatusOfFault, ownFailureStatus } from "../exitStatus.ts"
import type { BrokenOutputError, OutputWriter } from "../ProcessOutput.ts"
import { rawTerminal } from "../rawTerminal.ts"
import type { StopRequest } from "../stopOnSignals.ts"
import type { UsageError } from "../UsageError.ts"
import { tryMessage, writeMessage } from "../writeMessage.ts"
import { ConnectionNotice } from "./ConnectionNotice.ts"
import { TerminalModes } from "./TerminalModes.ts"

export interface AttachTerminalOptions {
  readonly url: string
  readonly client: RemoteClient.RemoteClient
  readonly id: CommandId
  readonly cli: CliProcess
  readonly output: OutputWriter
  readonly stop: StopRequest
  /** The byte of the key that detaches. */
  readonly detachByte: number
  /** Whether to attach read-only, without typing or resizing; Ctrl-C then detaches, too. */
  readonly readOnly: boolean
  /**
   * Whether the command may have written before: this terminal does not answer queries that were sent to other
   * terminals.
   */
  readonly isReplayed: boolean
  /** The flag to name when stdin is no terminal. */
  readonly flag: string
}

type Ending =
  | { readonly _tag: "Ended"; readonly event: string }
  | { readonly _tag: "Failed"; readonly problem: string }
  | { readonly _tag: "Detached" }
  | { readonly _tag: "Stopped" }
  | { readonly _tag: "Broken"; readonly error: BrokenOutputError }

/** The byte that a terminal sends for Ctrl-C. */
const interruptByte = 0x03

/** Time for which a lost connection is retried. */
const reconnectMillis = 120_000

/** Resets colours, below the output of the command. */
const freshLine = "\x1b[m\r\n"

const permanentStatuses: ReadonlySet<number | undefined> = new Set([400, 401, 403, 404, 405, 410])

const socketUrl = (url: string, id: CommandId): string => {
  const address = new URL(`commands/${encodeURIComponent(id)}/terminal`, url.endsWith("/") ? url : `${url}/`)
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:"
  return address.href
}

const describe = (error: RemoteError | ShellFault): string => error.message.replace(/^(http|exec): /, "")

/** The exit status of the last event of a command; faults are reported. */
const statusOfEnd = (event: string, output: OutputWriter): Effect.Effect<number> => {
  const decoded = decodeEvent(event)
  const last = Result.isSuccess(decoded) ? decoded.success : undefined
  if (last?._tag === "ShellOutput") return Effect.succeed(last.exitCode)
  if (last?._tag !== "ShellFault") {
    return Effect.as(tryMessage(output, "the server's last event cannot be read"), ownFailureStatus)
  }
  return Effect.as(tryMessage(output, last.message), exitStatusOfFault(last.reason))
}

/** Attaches until the command ends, the user detaches, or a signal comes; succeeds with the exit status. */
export const attachTerminal = (
  options: AttachTerminalOptions,
): Effect.Effect<number | "stopped", UsageError | BrokenOutputError, Scope.Scope> =>
  Effect.gen(function* () {
    const { cli, client, detachByte, id, isReplayed, output, readOnly, stop, url } = options
    // A watcher needs no terminal.
    const terminal = readOnly && cli.openTerminal() === undefined ? undefined : yield* rawTerminal(cli, options.flag)
    const context = yield* Effect.context<never>()
    const ended = yield* Deferred.make<Ending>()
    const end = (ending: Ending): void => {
      completeLater(ended, Effect.succeed(ending))
    }
    const fitRemote = (): void => {
      const size = readOnly ? undefined : terminal?.size()
      if (size !== undefined) link.resize(size.cols, size.rows)
    }
    const write = (text: string): Promise<void> =>
      Effect.runPromiseWith(context)(
        Effect.catch(output.write(1, encodeUtf8(text)), (error) => Effect.sync(() => end({ _tag: "Broken", error }))),
      )
    let isWritable = false
    const printer = new TerminalPrinter("typed")
    /** Position of the last output before this client attached, once the server has sent it. */
    let replayedUntil = isReplayed ? undefined : -1
    const modes = new TerminalModes()
    const show = (text: string, position: number): Promise<void> => {
      const shown = position <= (replayedUntil ?? -1) ? printer.push(text) : printer.end() + text
      modes.push(shown)
      return write(shown)
    }
    const leave = (after: string): Effect.Effect<void, BrokenOutputError> =>
      Effect.suspend(() => {
        if (terminal === undefined) return Effect.void
        terminal.setRaw(false)
        return output.write(1, encodeUtf8(modes.reset() + after))
      })
    const say = (text: string): void => {
      // In raw mode a line break does not return to the first column.
      const said = terminal === undefined
        ? tryMessage(output, text)
        : Effect.ignore(output.write(2, encodeUtf8(`\r\nsluice: ${text}\r\n`)))
      Effect.runForkWith(context)(said)
    }
    const notice = new ConnectionNotice(say, () => !modes.isAlternate)
    const link = new TerminalLink({
      url: socketUrl(url, id),
      ticket: async () => {
        const answer = await Effect.runPromiseWith(context)(Effect.result(client.terminalTicket(id)))
        if (Result.isSuccess(answer)) return answer.success.protocols
        const problem = describe(answer.failure)
        throw permanentStatuses.has(statusOf(answer.failure)) ? new PermanentFailure(problem) : new Error(problem)
      },
      reconnectMillis,
      onOutput: show,
      onState: ({ newest, writable }) => {
        replayedUntil ??= newest
        if (writable && !isWritable) fitRemote()
        isWritable = writable
      },
      // The terminal is raw, and shows the command.
      onInputLost: (bytes) => void write(`\r\nsluice: the connection was lost: ${lostInputText(bytes)}\r\n`),
      onConnection: (state) => notice.change(state),
      onEnd: (event) => end({ _tag: "Ended", event }),
      onFailure: (problem) => end({ _tag: "Failed", problem }),
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        notice.close()
        link.close()
      })
    )
    if (terminal !== undefined) {
      yield* Effect.acquireRelease(
        Effect.sync(() => terminal.onResize(fitRemote)),
        (remove) => Effect.sync(remove),
      )
      const keys = yield* inputStream(cli, "-", options.flag)
      const type = (bytes: Uint8Array): Effect.Effect<void> =>
        Effect.sync(() => {
          const at = bytes.findIndex((byte) => byte === detachByte || (readOnly && byte === interruptByte))
          // A copy: the reader may reuse its buffer.
          const typed = bytes.slice(0, at < 0 ? bytes.length : at)
          if (isWritable && !readOnly && typed.length > 0) link.input(typed)
          if (at >= 0) end({ _tag: "Detached" })
        })
      // The end of the keyboard detaches: the user's terminal is gone.
      const typing = Effect.ensuring(
        Effect.ignore(Stream.runForEach(keys, type)),
        Effect.sync(() => end({ _tag: "Detached" })),
      )
      yield* Effect.forkScoped(typing)
    }
    yield* Effect.forkScoped(Effect.andThen(aborted(stop.signal), Effect.sync(() => end({ _tag: "Stopped" }))))
    const ending = yield* Deferred.await(ended)
    notice.close()
    link.close()
    const waiting = link.waitingInput
    const tellWaiting = waiting > 0 ? writeMessage(output, lostInputText(waiting)) : Effect.void
    switch (ending._tag) {
      case "Ended":
        yield* leave("")
        return yield* statusOfEnd(ending.event, output)
      case "Broken":
        return yield* Effect.fail(ending.error)
      case "Failed":
        yield* leave(freshLine)
        yield* tellWaiting
        yield* writeMessage(output, ending.problem)
        return ownFailureStatus
      case "Stopped":
        yield* Effect.ignore(leave(freshLine))
        return "stopped"
      case "Detached":
        yield* leave(freshLine)
        yield* tellWaiting
        yield* writeMessage(output, `detached; come back with: sluice attach --url ${url} ${id}`)
        return 0
    }
  })
