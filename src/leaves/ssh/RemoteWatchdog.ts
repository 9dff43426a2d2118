/** Runs the watchdog script of a connection: facts of the server, registered commands, signals, ends of trees. */
import * as Effect from "effect/Effect"
import type { ClientChannel } from "ssh2"
import { quote } from "../../base/quote.ts"
import { callbackLater } from "../../base/waits.ts"
import type { CommandLimits } from "../../command/CommandLimits.ts"
import { toTenths } from "../../sh-session/treeScript.ts"
import { answeredWithin } from "./answeredWithin.ts"
import { ChannelWriter, StreamReader } from "./channelPipes.ts"
import { LinePrefix } from "./LinePrefix.ts"
import { type ChannelError, openChannel } from "./openChannel.ts"
import { SshError } from "./SshError.ts"
import type { SshLink, SshTransport } from "./SshConnection.ts"
import { scriptLine, scriptText } from "./startScript.ts"
import { tickSeconds, watchdogScript } from "./watchdogScript.ts"

export interface ServerFacts {
  /** As `uname -s` says it. */
  readonly os: string
  readonly isRoot: boolean
  /** Bytes of arguments and environment together. */
  readonly maxWordBytes: number | undefined
  /** Path of env(1). */
  readonly env: string
  /** Whether processes are found by a marker in their environment. */
  readonly hasProc: boolean
  readonly hasPrlimit: boolean
  readonly hasStty: boolean
  readonly limits: ReadonlyArray<keyof CommandLimits>
}

export interface EndReport {
  readonly ended: ReadonlyArray<number>
  readonly survivors: ReadonlyArray<number>
}

export interface RemoteWatchdog {
  readonly facts: ServerFacts
  readonly isGone: () => boolean
  /** Ends it: the leaf runs no more commands. */
  readonly close: () => void
  /** Registers a command that is about to start. */
  readonly add: (pid: number, marker: string) => void
  /** Forgets a command that has ended. */
  readonly remove: (marker: string) => void
  readonly signal: (signal: string, pid: number, marker: string) => void
  /** Signals that the reader of a command's output is gone. */
  readonly breakPipe: (pid: number, marker: string) => void
  /** Ends a tree; `undefined` when the script is gone, which with a lost connection ends it by itself. */
  readonly endTree: (marker: string, graceMillis: number) => Effect.Effect<EndReport | undefined>
  /** Ends the leftover processes of runs whose markers have a prefix, except those of this connection. */
  readonly endOthers: (prefix: string, graceMillis: number) => Effect.Effect<EndReport | undefined>
}

/** Maximum bytes that start-up files may print before the first line. */
const maxNoiseBytes = 65_536

/** An answer lists process ids. */
const maxAnswerBytes = 1_048_576

const limitLetters: Readonly<Record<string, keyof CommandLimits>> = {
  v: "memoryBytes",
  t: "cpuSeconds",
  f: "fileSizeBytes",
}

/** Random letters and digits, which nothing else prints. */
export const makeNonce = (): string => crypto.randomUUID().replaceAll("-", "")

/** Reads the facts; `undefined` when the output ends before. `onNoise`: called with lines that come before them. */
const readFacts = (
  lines: LinePrefix,
  nonce: string,
  onNoise: (line: string) => void,
): Effect.Effect<ServerFacts | undefined> =>
  Effect.gen(function* () {
    const found = new Map<string, string>()
    for (let begun = false;;) {
      const line = yield* lines.line
      if (line === undefined) return undefined
      // The output of start-up files may lack a line end.
      const isMark = line.endsWith(nonce)
      if (isMark && begun) break
      const [name = "", ...rest] = line.split(" ")
      if (begun) found.set(name, rest.join(" ").trim())
      else if (!isMark) onNoise(line)
      begun ||= isMark
    }
    const words = Number(found.get("words"))
    const isRoot = found.get("uid") === "0"
    const hasPrlimit = found.get("prlimit") !== ""
    const limits = (found.get("limits") ?? "").split(" ").flatMap((letter) => limitLetters[letter] ?? [])
    return {
      os: found.get("os") ?? "",
      isRoot,
      maxWordBytes: words > 0 ? words : undefined,
      env: found.get("env") || "/usr/bin/env",
      hasProc: found.get("proc") === "yes",
      hasPrlimit,
      hasStty: found.get("stty") !== "",
      // setrlimit(2): the kernel never counts root's processes.
      limits: isRoot || !hasPrlimit ? limits : [...limits, "processes"],
    }
  })

const numbers = (
  text: string | undefined,
): ReadonlyArray<number> => [...new Set((text ?? "").split(",").filter((word) => /^[0-9]+$/.test(word)).map(Number))]

/** Waits for the rest of an answer that needs longer than the grace period: a tree that keeps forking. */
const patienceMillis = 60_000

/**
 * Starts the watchdog on a connection. It ends with the connection; `onGone` is called when it has ended for another
 * reason.
 */
export const startWatchdog = (
  { connectTimeoutMillis, keepAliveMillis, server }: SshTransport,
  link: SshLink,
  graceMillis: number,
  onGone: () => void,
): Effect.Effect<RemoteWatchdog, SshError | ChannelError> =>
  Effect.gen(function* () {
    const nonce = makeNonce()
    const channel: ClientChannel = yield* openChannel(link, scriptLine(nonce), {}, connectTimeoutMillis, () => false)
    const writer = new ChannelWriter(channel)
    const send = (line: string): void => void writer.write(new TextEncoder().encode(line))
    let said = ""
    const onSaid = (text: string): void => void (said = (said + text).slice(0, 500))
    channel.stderr.on("data", (bytes: Uint8Array) => onSaid(new TextDecoder().decode(bytes)))
    send(scriptText(nonce, watchdogScript(toTenths(graceMillis))))
    const lines = new LinePrefix(new StreamReader(channel), maxNoiseBytes)
    let hasEnded = true
    const facts = yield* answeredWithin(
      readFacts(lines, nonce, (line) => onSaid(`${line}\n`)),
      connectTimeoutMillis,
      () => hasEnded = false,
    ).pipe(Effect.onInterrupt(() => Effect.sync(() => channel.close())))
    if (facts === undefined) {
      channel.close()
      const how = lines.isOver
        ? `printed more than ${maxNoiseBytes} bytes before it ran /bin/sh`
        : hasEnded
        ? "ended without running /bin/sh"
        : `did not run /bin/sh within ${connectTimeoutMillis} ms`
      return yield* Effect.fail(
        new SshError({
          reason: { _tag: "LoginShellFailed", server },
          message:
            `ssh: the login shell of ${server} ${how}${said === "" ? "" : `, and said ${quote(said.trim())}`}; ` +
            "the user needs a login shell, no ForceCommand, and start-up files that leave stdin alone. Where only files are permitted, use SftpFileSystem",
        }),
      )
    }
    const waiting = new Map<string, (report: EndReport | undefined) => void>()
    let isGone = false
    const end = (): void => {
      isGone = true
      clearInterval(beat)
      for (const answer of waiting.values()) answer(undefined)
      waiting.clear()
    }
    const gone = (): void => {
      if (isGone) return
      end()
      onGone()
    }
    const beat = setInterval(() => send("h\n"), Math.min(keepAliveMillis, tickSeconds * 1_000))
    link.onLost(gone)
    channel.on("close", gone)
    const readAnswers = (): void => {
      const answers = new LinePrefix(lines.reader, Infinity, maxAnswerBytes)
      const read = (): void =>
        answers.next((line) => {
          if (line === undefined) {
            lines.reader.release()
            channel.close()
            return gone()
          }
          const [id = "", ended, survivors] = line.split(" ")
          waiting.get(id)?.({ ended: numbers(ended), survivors: numbers(survivors) })
          waiting.delete(id)
          read()
        })
      read()
    }
    lines.finish()
    readAnswers()
    let count = 0
    const ask = (request: string, marker: string, grace: number): Effect.Effect<EndReport | undefined> =>
      answeredWithin(
        callbackLater<EndReport | undefined>((resume) => {
          if (isGone) return resume(Effect.undefined)
          const id = `q${++count}`
          waiting.set(id, (report) => resume(Effect.succeed(report)))
          send(`${request} ${id} ${marker} ${toTenths(grace)}\n`)
          return Effect.sync(() => waiting.delete(id))
        }),
        grace + patienceMillis,
      )
    return {
      facts,
      isGone: () => isGone,
      close: () => {
        end()
        void writer.end()
      },
      add: (pid, marker) => send(`a ${pid} ${marker}\n`),
      remove: (marker) => send(`d ${marker}\n`),
      signal: (signal, pid, marker) => send(`s ${signal.replace(/^SIG/, "")} ${pid} ${marker}\n`),
      breakPipe: (pid, marker) => send(`p ${pid} ${marker}\n`),
      // The grace period follows this program's clock; the script's own applies if the connection is lost meanwhile.
      endTree: (marker, grace) =>
        grace === 0 ? ask("e", marker, 0) : Effect.timeoutOrElse(ask("e", marker, grace + 1_000), {
          duration: grace,
          orElse: () => ask("e", marker, 0),
        }),
      endOthers: (prefix, grace) => ask("o", prefix, grace),
    }
  })
