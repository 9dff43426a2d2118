/**
 * Runs a command on a terminal, keeps its output as plain text, waits for parts of it, and types into it. Loaded when a
 * command gets a terminal.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { defined } from "../base/defined.ts"
import { quote } from "../base/quote.ts"
import { onAbort } from "../base/abort.ts"
import { encodeUtf8 } from "../base/bytes.ts"
import { millisOf } from "../base/duration.ts"
import { startTimer } from "../base/startTimer.ts"
import { PlainText } from "../terminal/PlainText.ts"
import { isSecret, reveal } from "../command/plain/secret.ts"
import { ShellExec } from "../command/plain/ShellExec.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import * as Redactor from "../journal/redaction/Redactor.ts"
import { RendezvousPipe } from "../shell/RendezvousPipe.ts"
import { takeShellOutput } from "../shell/takeShellOutput.ts"
import { type CallSite, callSite, withCallSite } from "./callSite.ts"
import { logContext } from "../base/stderrLogs.ts"
import { secretsOf } from "./secretsOf.ts"
import { runError, runResult } from "./runOutcome.ts"
import type { RunShell, Stage } from "./Stage.ts"
import type { LazyCommand } from "./LazyCommand.ts"
import type { ScriptTerminal } from "./ScriptTerminal.ts"

const maxTerminalOutput = 1_000_000
const maxShownLength = 500
const sendMillis = 10_000

type SentText = Parameters<ScriptTerminal["send"]>[0]

type WaitReasonTag = "Timeout" | "Ended"

class WaitError extends Error {
  readonly _tag = "TerminalWaitError"
  override readonly name = "TerminalWaitError"
  readonly reason: { readonly _tag: WaitReasonTag }

  constructor(tag: WaitReasonTag, message: string) {
    super(message)
    this.reason = { _tag: tag }
  }
}

const find = (text: string, pattern: string | RegExp): string | undefined =>
  typeof pattern === "string"
    ? text.includes(pattern) ? pattern : undefined
    // With `g` or `y` an expression remembers where it stopped.
    : new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).exec(text)?.[0]

/**
 * Opens a session; rejects with the fault of a command that cannot be started, or that has no terminal. `fail` completes
 * the error of the command.
 */
export const openTerminal = async (
  shell: RunShell,
  { exec, line, options: { signal } }: Stage,
  { cols = 80, rows = 24, term }: NonNullable<Parameters<LazyCommand["terminal"]>[0]>,
  fail: (error: unknown) => Promise<never>,
): Promise<ScriptTerminal> => {
  const maxOutputLength = Math.min(exec.maxOutputBytes ?? maxTerminalOutput, maxTerminalOutput)
  const plain = new PlainText()
  const input = new RendezvousPipe()
  const abort = new AbortController()
  const removeListener = onAbort(signal, () => abort.abort())
  const secrets = [...secretsOf([exec])]
  const listeners = new Set<() => void>()
  const spawned = Promise.withResolvers<void>()
  let output = ""
  let inputAt = 0
  let hasEnded = false

  const onEvent = <A extends ShellOutputChunk | ShellOutput>(event: A): A => {
    if (event._tag === "ShellOutputChunk") {
      output += plain.push(event.content)
      const excess = Math.max(0, output.length - maxOutputLength)
      output = output.slice(excess)
      inputAt = Math.max(0, inputAt - excess)
      for (const listener of listeners) listener()
    }
    return event
  }
  const events = shell.exec(new ShellExec({ ...exec, streamOutput: true }), {
    terminal: { cols, rows, ...defined({ term }) },
    stdin: input.stream,
    signal: abort.signal,
    onSpawn: () => spawned.resolve(),
  })
  const running = Effect.runPromiseExitWith(logContext)(takeShellOutput(Stream.map(events, onEvent))).then((exit) => {
    hasEnded = true
    removeListener()
    input.close()
    for (const listener of listeners) listener()
    return Exit.isFailure(exit) ? fail(runError(Cause.squash(exit.cause))) : runResult(exit.value)
  })
  // Reported to callers of `exited`.
  running.catch(() => {})
  await Promise.race([spawned.promise, running])

  /** Makes the error of a wait; shows the end of the output, without secrets. */
  const failed = (tag: WaitReasonTag, problem: string): WaitError => {
    const shown = Redactor.secrets(secrets).text(output).slice(-maxShownLength).trim()
    const end = tag === "Ended" ? `${line} has ended` : line
    return new WaitError(tag, `${end}: ${problem}${shown === "" ? "; it wrote nothing" : `; it wrote:\n${shown}`}`)
  }
  /** Waits until `look` finds something; calls it again after output and at the end. */
  const wait = <A>(look: () => A | undefined, millis: number, problem: string, site: CallSite): Promise<A> =>
    new Promise((resolve, reject) => {
      const fail = (tag: WaitReasonTag, text: string): void => reject(withCallSite(failed(tag, text), site))
      const settle = (act: () => void): void => {
        cancelTimer()
        listeners.delete(check)
        act()
      }
      const check = (): void => {
        const found = look()
        if (found !== undefined) settle(() => resolve(found))
        else if (hasEnded) settle(() => fail("Ended", problem))
      }
      const cancelTimer = startTimer(millis, () => settle(() => fail("Timeout", `${problem} in ${millis} ms`)))
      listeners.add(check)
      check()
    })
  const close = async (): Promise<void> => {
    abort.abort()
    await running.catch(() => {})
  }
  let turns: Promise<unknown> = Promise.resolve()
  /** Types after the calls before it: the pipe has room for one write. */
  const sendInTurn = (text: SentText, site: CallSite): Promise<void> => {
    // A wait that begins before its turn is for output after it, too.
    inputAt = output.length
    const turn = turns.then(() => send(text, site))
    turns = turn.catch(() => {})
    return turn
  }
  const send = async (text: SentText, site: CallSite): Promise<void> => {
    const bytes = encodeUtf8(typeof text === "string" ? text : (isSecret(text) ? reveal(text) : undefined) ?? "")
    if (isSecret(text)) secrets.push({ value: text })
    let isTaken: boolean | undefined
    inputAt = output.length
    const taken = input.write(bytes).then((wanted) => {
      isTaken = wanted || undefined
      for (const listener of listeners) listener()
    })
    try {
      await wait(() => isTaken, sendMillis, "the input was not taken", site)
    } catch (error) {
      input.withdraw()
      throw error
    }
    await taken
  }
  const session: ScriptTerminal = {
    waitFor: (pattern, { timeout = 30_000 } = {}) =>
      wait(
        () => find(output.slice(inputAt), pattern),
        millisOf("timeout", timeout),
        `${typeof pattern === "string" ? quote(pattern) : pattern} did not come`,
        callSite(session.waitFor),
      ),
    // Captured here, not in the asynchronous function, for which JavaScriptCore has no frame.
    send: (text) => sendInTurn(text, callSite(session.send)),
    get output() {
      return output
    },
    exited: running,
    close,
    [Symbol.asyncDispose]: close,
  }
  return session
}
