/** Types into a session, resizes its terminal, signals its command, and waits for output. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { quote } from "../base/quote.ts"
import { linuxSignals } from "../command/signals.ts"
import { checkSize, checkWait } from "./checkOptions.ts"
import { encodeKey, keyNames } from "./keys.ts"
import { encodePaste } from "./encodePaste.ts"
import type { RunningSession } from "./RunningSession.ts"
import type { TerminalSession } from "./Session.ts"
import { type TerminalError, terminalError } from "./TerminalError.ts"
import type { TerminalResized } from "./TerminalEvent.ts"
import { waitForCondition } from "./waitForCondition.ts"

const unknownKey = (name: string): TerminalError =>
  terminalError(
    { _tag: "InvalidArgument", argument: "keys" },
    `no key is called ${quote(name)}; write { text } to type text, or one of ${keyNames.join(", ")}, ` +
      "Ctrl- and a letter, Alt- and a character",
  )

const makeWrite = (session: RunningSession): TerminalSession["write"] => (data) =>
  session.whileRunning(Effect.suspend(() => {
    const { ended, input } = session.parts
    session.recent = ""
    session.activeAt = session.now()
    return Effect.raceFirst(
      input.write(data),
      Effect.flatMap(Effect.exit(Deferred.await(ended)), () => Effect.fail(session.endedError)),
    )
  }))

const makeResize = (session: RunningSession): TerminalSession["resize"] => (size) => {
  const { emulator, exec, log, scrollback } = session.parts
  const problem = checkSize(size, scrollback)
  if (problem !== undefined) return session.whileRunning(Effect.fail(problem))
  return session.whileRunning(session.withScreen(Effect.suspend(() => {
    const event: TerminalResized = {
      _tag: "TerminalResized",
      commandId: exec.commandId,
      cols: size.cols,
      rows: size.rows,
      timestamp: session.now(),
    }
    emulator.resize(size)
    session.process?.resize?.(size)
    return log.add(event)
  })))
}

const makeSignal = (session: RunningSession): TerminalSession["signal"] => (name) =>
  session.whileRunning(Effect.suspend(() => {
    if (Object.hasOwn(linuxSignals, name)) return Effect.sync(() => session.process?.kill?.(name))
    const message = `${name} is not a signal; write SIGINT or SIGTERM`
    return Effect.fail(terminalError({ _tag: "InvalidArgument", argument: "name" }, message))
  }))

const makeWaitFor = (session: RunningSession): TerminalSession["waitFor"] => (condition, options = {}) =>
  Effect.gen(function* () {
    const { emulator, log } = session.parts
    const millis = yield* checkWait(condition, options)
    const watched = {
      recent: () => session.recent,
      screen: () => emulator.screen(session.seq).text,
      lastOutput: () => session.lastOutput,
      hasEnded: () => session.hasEnded,
      version: () => log.version,
      changed: (since: number) => log.changed(since),
    }
    const match = Option.getOrUndefined(
      yield* Effect.timeoutOption(Effect.map(waitForCondition(watched, condition), (found) => ({ found })), millis),
    )
    const screen = emulator.screen(session.seq)
    if (match === undefined) {
      return yield* Effect.fail(
        terminalError(
          { _tag: "WaitTimeout", afterMillis: millis, screen: screen.text },
          `the expected output did not appear within ${millis} ms`,
        ),
      )
    }
    return match.found === undefined ? yield* Effect.fail(session.endedError) : { match: match.found, screen }
  })

export const controlSession = (
  session: RunningSession,
): Pick<TerminalSession, "write" | "sendKeys" | "paste" | "resize" | "signal" | "waitFor"> => {
  const { emulator } = session.parts
  const write = makeWrite(session)
  return {
    write,
    sendKeys: (...keys) =>
      Effect.suspend(() => {
        let text = ""
        for (const key of keys) {
          const encoded = typeof key === "string" ? encodeKey(key, emulator.applicationCursor) : key.text
          if (encoded === undefined) return Effect.fail(unknownKey(String(key)))
          text += encoded
        }
        return write(text)
      }),
    paste: (text) => Effect.suspend(() => write(encodePaste(text, emulator.bracketedPaste))),
    resize: makeResize(session),
    signal: makeSignal(session),
    waitFor: makeWaitFor(session),
  }
}
