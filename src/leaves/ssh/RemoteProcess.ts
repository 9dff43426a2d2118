/** Starts a planned command on a channel, and represents it as a process. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ClientChannel } from "ssh2"
import { exitCodeOfSignal, signalName } from "../../command/signals.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import type { ByteWriter, ExitStatus, SpawnedProcess } from "../../shell/SpawnedProcess.ts"
import type { Terminal } from "../../command/Terminal.ts"
import { answeredWithin } from "./answeredWithin.ts"
import { ChannelWriter, StreamReader } from "./channelPipes.ts"
import { LinePrefix } from "./LinePrefix.ts"
import { openChannel } from "./openChannel.ts"
import { afterLine, CheckedOutput, refusalIn } from "./CheckedOutput.ts"
import { describeRefusal, type Failure } from "../../sh-session/describeRefusal.ts"
import { lostFailure, noStatus, whileRunning } from "./remoteFailures.ts"
import { makeNonce } from "./RemoteWatchdog.ts"
import type { SshLink } from "./SshConnection.ts"
import { refusedCode, type RemoteStart, startLine, startText, terminalModes } from "./startScript.ts"
import type { WatchedSession } from "./watchedSession.ts"

export interface StartContext {
  readonly server: string
  readonly link: SshLink
  readonly session: WatchedSession
  readonly connectTimeoutMillis: number
  readonly running: { count: number }
}

/** Maximum bytes that start-up files may print before the first line. */
const maxNoiseBytes = 65_536

const exitOf = (code: unknown, signal: unknown, waits: boolean): ExitStatus => {
  if (typeof code === "number") {
    // `sh` waited for the command, and its status 128 + n means signal n.
    const name = waits && code > 128 ? signalName(code - 128) : undefined
    return name === undefined ? { exitCode: code } : { exitCode: code, signal: name }
  }
  // sshd sends `SIG@openssh.com` for signals that the protocol does not name (RFC 4254, 6.10).
  const named = String(signal).replace(/^(?:SIG)+/, "").replace(/@.*$/, "")
  const name = `SIG${named === "" ? "UNKNOWN" : named}`
  return { exitCode: exitCodeOfSignal(name), signal: name }
}

/** The byte that ends a terminal's input (termios(3), VEOF). The channel stays open, for its size. */
const endOfInput = new Uint8Array([4])

const endedByKey = ({ write }: ByteWriter): ByteWriter => {
  let isEnded = false
  return {
    write,
    end: async () => {
      if (isEnded) return
      isEnded = true
      await write(endOfInput)
    },
  }
}

/** Starts a command. Fails when the server refuses it; then no process of it is left. */
export const startRemote = (
  exec: ShellExec,
  start: RemoteStart,
  terminal: Terminal | undefined,
  context: StartContext,
): Effect.Effect<SpawnedProcess, ShellFault> =>
  Effect.gen(function* () {
    const { connectTimeoutMillis, link, running, server, session } = context
    const nonce = makeNonce()
    const fail = (...[reason, message]: Failure): Effect.Effect<never, ShellFault> =>
      Effect.fail(ShellFault.because(exec.commandId, reason, message))
    const options = terminal === undefined ? {} : {
      pty: { rows: terminal.rows, cols: terminal.cols, term: terminal.term ?? "xterm-256color", modes: terminalModes },
    }
    const channel = yield* Effect.catch(
      openChannel(link, startLine(nonce, start), options, connectTimeoutMillis, () => running.count > 0),
      ({ isFull, message }) =>
        isFull
          ? fail(
            { _tag: "ResourceExhausted", resource: "channels", code: "EAGAIN" },
            `exec: ${server} opens no session for ${exec.command}: ${message}; its MaxSessions may be too low: ` +
              "the leaf needs one, and each command one (EAGAIN)",
          )
          : link.isLost()
          ? fail(...lostFailure(server, exec, "before it started"))
          : fail(
            { _tag: "Unknown", code: "ETIMEDOUT" },
            `exec: ${exec.command} was not started: ${server}: ${message}; try again, or raise connectTimeout (ETIMEDOUT)`,
          ),
    )
    running.count++
    const close = (): void => {
      channel.close()
      channel.resume()
      channel.stderr.resume()
    }
    channel.once("close", () => running.count--)
    const reader = new StreamReader(channel)
    const writer = new ChannelWriter(channel)
    const stderr = new StreamReader(channel.stderr)
    const lines = new LinePrefix(reader, maxNoiseBytes)
    const nextLine = Effect.gen(function* () {
      for (;;) {
        const line = yield* lines.line
        if (line === undefined) return undefined
        // The output of start-up files comes before this line.
        const at = line.indexOf(nonce)
        if (at >= 0) return line.slice(at + nonce.length + 1).split(" ")
      }
    })
    const orFail = (line: Effect.Effect<ReadonlyArray<string> | undefined>) =>
      Effect.flatMap(
        answeredWithin(line, connectTimeoutMillis),
        (words) =>
          words !== undefined
            ? Effect.succeed(words)
            : link.isLost()
            ? fail(...lostFailure(server, exec, "before it started"))
            : fail(
              { _tag: "Unknown", code: "ESHELL" },
              `exec: the login shell of ${server} did not start ${exec.command} within ${connectTimeoutMillis} ms (ESHELL)`,
            ),
      )
    /** The rest of a text of several lines, which a line that is the nonce ends. */
    const restOfLines = Effect.gen(function* () {
      const found: Array<string> = []
      for (;;) {
        const line = yield* lines.line
        if (line === undefined) return undefined
        if (line === nonce) return found
        found.push(line)
      }
    })
    let mayRun = false
    const undo = Effect.suspend(() => {
      if (!mayRun || link.isLost()) {
        close()
        return Effect.void
      }
      // The words may have arrived: the command may run, or be about to start.
      return Effect.andThen(
        session.endTree(start.marker, 0),
        Effect.sync(() => {
          session.remove(start.marker)
          close()
        }),
      )
    })
    return yield* Effect.gen(function* () {
      const [pid] = (yield* orFail(nextLine)).map(Number)
      if (pid === undefined || !Number.isInteger(pid)) {
        return yield* fail({ _tag: "Unknown", code: "EPROTO" }, `exec: ${server} did not report a process id (EPROTO)`)
      }
      // Registered before the command's words are sent: it cannot run unknown to the session.
      session.add(link, pid, start.marker)
      mayRun = true
      const process = makeProcess(exec, start, terminal, { ...context, channel, pid, reader, stderr, writer, nonce })
      void writer.write(new TextEncoder().encode(startText(nonce, start)))
      if (!start.hasInput && terminal === undefined) void writer.end()
      const answer = yield* orFail(nextLine)
      if (answer[0] !== "ok") {
        mayRun = false
        session.remove(start.marker)
        return yield* fail(...describeRefusal(exec, { ...start, where }, answer))
      }
      const executable = [answer.slice(1).join(" "), ...yield* orFail(restOfLines)].join("\n")
      lines.finish()
      if (terminal !== undefined && !start.hasInput) void writer.write(endOfInput)
      return { ...process, executable }
    }).pipe(Effect.onError(() => undo))
  })

const where = "on the server"

interface ProcessContext extends StartContext {
  readonly channel: ClientChannel
  readonly pid: number
  readonly reader: StreamReader
  readonly stderr: StreamReader
  readonly writer: ChannelWriter
  readonly nonce: string
}

const makeProcess = (
  exec: ShellExec,
  start: RemoteStart,
  terminal: Terminal | undefined,
  { channel, link, nonce, pid, reader, server, session, stderr, writer }: ProcessContext,
): Omit<SpawnedProcess, "executable"> => {
  const { marker } = start
  let status: ExitStatus | undefined
  let neverRan = false
  const listeners: Array<(status: ExitStatus) => void> = []
  const end = (how: ExitStatus): void => {
    if (status !== undefined) return
    status = how
    writer.abandon()
    for (const listener of listeners) listener(how)
  }
  const endWith = (...[reason, message]: Failure): void => end({ exitCode: 255, fault: { reason, message } })
  // If sh waits, no line reports a failed exec(2), and the command can read the nonce in its parent's arguments.
  const check = start.waits ? undefined : refusalIn(nonce, (words) => {
    neverRan = true
    endWith(...describeRefusal(exec, { ...start, where }, words))
  })
  const stdout = new CheckedOutput(reader, check)
  channel.on("exit", (code: unknown, signal: unknown) => {
    session.remove(marker)
    const how = exitOf(code, signal, start.waits)
    // This is also the code of a failed start, whose line may arrive after it.
    if (how.exitCode === refusedCode) stdout.whenChecked(() => end(how))
    else end(how)
  })
  channel.on(
    "close",
    () => endWith(...(link.isLost() ? lostFailure(server, exec, whileRunning) : noStatus(server, exec))),
  )
  return {
    pid,
    stdout,
    stderr: start.merge || terminal !== undefined
      ? undefined
      : new CheckedOutput(stderr, afterLine(marker, maxNoiseBytes)),
    stdin: !start.hasInput ? undefined : terminal === undefined ? writer : endedByKey(writer),
    onExit: (done) => {
      if (status === undefined) listeners.push(done)
      else done(status)
    },
    breakPipe: () => session.breakPipe(pid, marker),
    signal: (signal) => status === undefined ? session.signal(signal, pid, marker) : undefined,
    ...(terminal === undefined ? undefined : {
      resize: ({ cols, rows }) => link.isLost() ? undefined : channel.setWindow(rows, cols, 0, 0),
    }),
    terminate: (grace) =>
      neverRan || link.isLost()
        ? Effect.succeed([])
        : Effect.map(session.endTree(marker, Duration.toMillis(grace)), ({ survivors }) => survivors),
    release: () => {
      if (status === undefined) session.remove(marker)
      channel.close()
    },
  }
}
