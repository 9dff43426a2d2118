/** Clients that come and go at random, over a shell whose output is known: nothing twice, and what is missing is counted. */
import { describe, expect, it } from "@effect/vitest"
import { Shell, ShellExec, ShellOutput, type ShellOutputChunk } from "@sluice/shell"
import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
import { type TerminalEvent, TerminalSession } from "@sluice/shell/terminal"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { random } from "../support/random.ts"

const chunks = 700

/** Writes numbered lines of different lengths, in turns of the event loop. */
const numbers = Layer.succeed(
  Shell,
  Shell.make({
    capabilities: { leaf: "numbers", pty: true },
    bytes: () => Stream.never,
    exec: ({ commandId }, options) => {
      const { int } = random(3)
      const lines = Stream.range(0, chunks - 1).pipe(
        Stream.map((seq): ShellOutputChunk => ({
          _tag: "ShellOutputChunk",
          commandId,
          stream: "stdout",
          content: `${seq}${".".repeat(int(0, 60))}\r\n`,
          timestamp: seq,
          seq,
        })),
        Stream.rechunk(7),
        Stream.tap(() => int(0, 9) === 0 ? Effect.sleep(1) : Effect.void),
      )
      const last = Stream.sync(() =>
        ShellOutput.make({
          commandId,
          exitCode: 0,
          executable: "numbers",
          stdout: "",
          stderr: "",
          stdoutBytes: 0,
          stderrBytes: 0,
          stdoutBytesOmitted: 0,
          stderrBytesOmitted: 0,
          duration: 1,
          completed: 1,
          drain: "eof",
        })
      )
      const started = Stream.sync(() => options?.onSpawn?.({ pid: 1, executable: "numbers" })).pipe(
        Stream.flatMap(() => Stream.empty),
      )
      return Stream.concat(started, Stream.concat(lines, last))
    },
  }),
)

/** Reads in several visits: each continues where the last one left. */
const visit = (session: TerminalSession, seed: number, backPressure: boolean) =>
  Effect.gen(function* () {
    const { int } = random(seed)
    let [seq, lost, text, isOver] = [-1, 0, "", false]
    const take = (event: TerminalEvent): void => {
      if (event._tag === "ShellOutputChunk") {
        expect([seed, event.seq]).toEqual([seed, seq + 1])
        seq = event.seq
        text += event.content
      } else if (event._tag === "TerminalSnapshot") {
        expect(event.lost).toBe(event.seq - seq)
        seq = event.seq
        lost += event.lost
      } else if (event._tag === "ShellOutput") isOver = true
    }
    while (!isOver) {
      const some = session.attach({ after: seq, backPressure }).pipe(Stream.take(int(1, 200)))
      yield* Stream.runForEach(some, (event) => Effect.sync(() => take(event)))
      yield* Effect.sleep(int(0, 3))
    }
    return { seq, lost, lines: text.split("\r\n").length - 1 }
  })

const visits = (maxKeptLength: number) =>
  Effect.gen(function* () {
    const session = yield* TerminalSession.open(ShellExec.make("numbers"), { maxKeptLength })
    const fibers = yield* Effect.forEach(
      [1, 2, 3, 4, 5, 6],
      (seed) => Effect.forkScoped(visit(session, seed, seed > 4)),
    )
    return yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
  }).pipe(Effect.scoped)

describe("clients that come and go", () => {
  it.live("get every chunk once, or know how many they lost", () =>
    Effect.gen(function* () {
      for (const result of yield* visits(2_000)) {
        expect(result).toMatchObject({ seq: chunks - 1, lines: chunks - result.lost })
      }
    }).pipe(Effect.provide(numbers)))

  it.live("get every chunk once from the journal, however little is kept", () =>
    Effect.gen(function* () {
      for (const result of yield* visits(300)) {
        expect(result).toEqual({ seq: chunks - 1, lost: 0, lines: chunks })
      }
    }).pipe(Effect.provide(numbers.pipe(JournaledShell.over(MemoryJournal.layer)))))
})
