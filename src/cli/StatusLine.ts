/** Adds a status line on stderr to the output of a running command: elapsed time, lines and bytes. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { encodeUtf8 } from "../base/bytes.ts"
import type { BrokenOutputError, OutputWriter } from "./ProcessOutput.ts"
import type { OutputFd } from "./CliProcess.ts"

const redrawMillis = 100
const newline = 0x0a
// Erase in line, no auto-wrap while drawing (a wrapped line cannot be erased), faint: ECMA-48, DEC private mode 7.
const erase = encodeUtf8("\r\x1b[K")
const drawing = (text: string): Uint8Array => encodeUtf8(`\r\x1b[K\x1b[?7l\x1b[2m${text}\x1b[22m\x1b[?7h`)

const units: ReadonlyArray<readonly [number, string]> = [[1024 ** 3, "GiB"], [1024 ** 2, "MiB"], [1024, "KiB"]]

const size = (bytes: number): string => {
  const [unit, name] = units.find(([each]) => bytes >= each) ?? [1, "B"]
  return unit === 1 ? `${bytes} B` : `${(bytes / unit).toFixed(1)} ${name}`
}

const elapsed = (millis: number): string => {
  const seconds = millis / 1000
  if (seconds < 60) return `${seconds.toFixed(1)}s`
  const [minutes, rest] = [Math.floor(seconds / 60), String(Math.floor(seconds % 60)).padStart(2, "0")]
  return minutes < 60
    ? `${minutes}m${rest}s`
    : `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m${rest}s`
}

/** Formats the line: `12.3s  1,234 lines  56.7 KiB`. */
export const statusText = (millis: number, lines: number, bytes: number): string =>
  `${elapsed(millis)}  ${lines.toLocaleString("en-US")} ${lines === 1 ? "line" : "lines"}  ${size(bytes)}`

const countLines = (bytes: Uint8Array): number => {
  let lines = 0
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) lines++
  return lines
}

/**
 * Adds a status line to an output, on stderr: redrawn at most ten times a second, erased before each write and when the
 * scope closes. Not drawn while the last line of the output is unfinished: it would be drawn into that line.
 */
export const withStatusLine = (output: OutputWriter): Effect.Effect<OutputWriter, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const lock = Semaphore.makeUnsafe(1)
    const start = clock.currentTimeMillisUnsafe()
    let lines = 0
    let bytes = 0
    let atLineStart = true
    let drawn = false

    const clear = Effect.suspend(() => {
      if (!drawn) return Effect.void
      drawn = false
      return output.write(2, erase)
    })
    const draw = Effect.suspend(() => {
      if (!atLineStart) return Effect.void
      drawn = true
      return output.write(2, drawing(statusText(clock.currentTimeMillisUnsafe() - start, lines, bytes)))
    })
    const write = (fd: OutputFd, piece: Uint8Array): Effect.Effect<void, BrokenOutputError> =>
      Effect.suspend(() => {
        if (piece.length === 0) return Effect.void
        lines += countLines(piece)
        bytes += piece.length
        atLineStart = piece[piece.length - 1] === newline
        return Effect.andThen(clear, output.write(fd, piece))
      })

    // A closed terminal is reported by the output itself.
    const redraw = Effect.ignore(Effect.andThen(Effect.sleep(redrawMillis), lock.withPermits(1)(draw)))
    // Does not wait for a stopped terminal (Ctrl-S).
    const leave = Effect.timeoutOption(lock.withPermits(1)(clear), redrawMillis)
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.interruptible(leave)))
    yield* Effect.forkScoped(Effect.forever(redraw))
    return { write: (fd, piece) => lock.withPermits(1)(write(fd, piece)) }
  })
