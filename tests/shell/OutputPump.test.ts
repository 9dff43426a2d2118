import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Pull from "effect/Pull"
import * as TestClock from "effect/testing/TestClock"
import { Chunking, ShellExec, type ShellExecOptions, type ShellOutput, type ShellOutputChunk } from "@sluice/shell"
import { OutputPump } from "../../src/shell/OutputPump.ts"
import { makeByteSink, makeChunkSink, makeCollectSink, type OutputSink } from "../../src/shell/OutputSink.ts"
import type { ByteWriter, SpawnedProcess } from "../../src/shell/SpawnedProcess.ts"
import { eventually, pause } from "../support/eventually.ts"
import { turns } from "../support/turns.ts"
import { random, randomText } from "../support/random.ts"
import { FakeProcess, ReusingPipe } from "./fakeProcess.ts"

interface Setup extends ShellExecOptions {
  readonly chunking?: Chunking.Chunking
  readonly drainGraceMillis?: number
}

/** A pump over a process of the test's, with the test's clock. */
const makePumpWith = <Element>(
  exec: ShellExec,
  drainGraceMillis: number,
  makeSink: (clock: Clock.Clock) => OutputSink<Element>,
  parts: Partial<SpawnedProcess> = {},
  stdoutTo?: ByteWriter,
) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const clock = Context.get(context, Clock.Clock)
    const process = new FakeProcess()
    const finished: Array<string> = []
    const millis = (duration: Duration.Duration | undefined): number =>
      duration === undefined ? Infinity : Duration.toMillis(duration)
    const pump = new OutputPump<Element>({
      exec,
      spawned: { ...process, ...parts },
      sink: makeSink(clock),
      clock,
      context,
      timeoutMillis: millis(exec.timeout),
      idleTimeoutMillis: millis(exec.idleTimeout),
      drainGraceMillis,
      grace: Duration.seconds(1),
      onFinish: ({ _tag }) => void finished.push(_tag),
      stdoutTo,
    })
    return { pump, process, finished }
  })

const makePump = (
  { chunking = Chunking.hybrid(), drainGraceMillis = 100, ...options }: Setup = {},
  parts: Partial<SpawnedProcess> = {},
) => {
  const exec = ShellExec.make("fake", [], options)
  return makePumpWith(
    exec,
    drainGraceMillis,
    (clock) => makeChunkSink(exec, chunking, () => clock.currentTimeMillisUnsafe()),
    parts,
  )
}

type Event = ShellOutputChunk | ShellOutput

/** Pulls to the end in the background; `seen` is what has come so far. */
const pulling = <Element extends Event>(pump: OutputPump<Element>) =>
  Effect.gen(function* () {
    const seen: Array<Element | ShellOutput> = []
    const all = Effect.gen(function* () {
      for (;;) seen.push(...(yield* pump.next))
    })
    const fiber = yield* Effect.forkChild(Pull.catchDone(all, () => Effect.void))
    // It has begun to pull.
    yield* pause(0)
    return {
      fiber,
      seen,
      contents: () => seen.flatMap((event) => event._tag === "ShellOutputChunk" ? [event.content] : []),
    }
  })

const turn = turns(5)

it.effect("reads nothing before it is pulled, and at most one read ahead afterwards", () =>
  Effect.gen(function* () {
    const { process, pump } = yield* makePump()
    for (let n = 0; n < 100; n++) process.stdout.write(`${n}\n`)
    yield* turn
    expect(process.stdout.reads).toBe(0)
    yield* pump.next
    const { reads } = process.stdout
    expect(reads).toBeLessThanOrEqual(2)
    yield* turn
    expect(process.stdout.reads).toBe(reads)
    yield* pump.close
  }))

it.effect("emits all chunks, then the output, then ends", () =>
  Effect.gen(function* () {
    const { finished, process, pump } = yield* makePump()
    const { fiber, seen } = yield* pulling(pump)
    process.stdout.write("a\n")
    process.stderr.write("b\n")
    yield* turn
    process.exit({ exitCode: 7 })
    yield* Fiber.join(fiber)
    expect(seen.map(({ _tag }) => _tag)).toEqual(["ShellOutputChunk", "ShellOutputChunk", "ShellOutput"])
    expect(seen.at(-1)).toMatchObject({
      exitCode: 7,
      stdoutBytes: 2,
      stderrBytes: 2,
      drain: "eof",
      executable: "/bin/fake",
    })
    expect(finished).toEqual(["ShellOutput"])
    yield* pump.close
    expect([finished.length, process.terminations]).toEqual([1, 0])
  }))

it.effect("gives several large reads in one pull, which stay valid until the next one", () =>
  Effect.gen(function* () {
    for (const keeps of [true, false]) {
      const stdout = new ReusingPipe(40_000, 8, keeps)
      const { process, pump } = yield* makePumpWith(ShellExec.make("fake"), 100, makeByteSink, { stdout })
      const batches: Array<number> = []
      const first: Array<number | undefined> = []
      const all = Effect.gen(function* () {
        for (;;) {
          const batch = yield* pump.next
          yield* turn
          const pieces = batch.flatMap((element) => element._tag === "ShellBytes" ? [element.bytes] : [])
          if (pieces.length > 0) batches.push(pieces.length)
          for (const bytes of pieces) {
            expect(bytes.every((byte) => byte === bytes[0])).toBe(true)
            first.push(bytes[0])
          }
        }
      })
      process.stderr.end()
      stdout.onEnd = () => process.exit()
      yield* Pull.catchDone(all, () => Effect.void)
      expect(first).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
      expect(Math.max(...batches)).toBe(keeps ? 8 : 1)
      // All that were kept came back.
      expect(stdout.kept).toBe(0)
      yield* pump.close
    }
  }))

it.effect("leaves the last bytes to its consumer when it is closed, although it reads on", () =>
  Effect.gen(function* () {
    const stdout = new ReusingPipe(10, 8, true)
    const exec = ShellExec.make("fake")
    const { process, pump } = yield* makePumpWith(exec, 100, makeByteSink, { stdout })
    const [first] = yield* pump.next
    yield* pump.close
    expect(process.terminations).toBe(1)
    expect(first._tag === "ShellBytes" ? first.bytes : first).toEqual(new Uint8Array(10))
  }))

it.effect("waits for the exit when the pipes have ended, and for the pipes when it has exited", () =>
  Effect.gen(function* () {
    const first = yield* makePump()
    const one = yield* pulling(first.pump)
    first.process.close()
    yield* TestClock.adjust("1 hour")
    yield* turn
    expect(one.seen).toEqual([])
    first.process.exit()
    yield* Fiber.join(one.fiber)

    const second = yield* makePump()
    const other = yield* pulling(second.pump)
    second.process.exit({ exitCode: 0 }, false)
    yield* turn
    second.process.stdout.write("tail\n")
    second.process.close()
    yield* Fiber.join(other.fiber)
    expect(other.seen.at(-1)).toMatchObject({ drain: "eof", stdoutBytes: 5 })
  }))

it.effect("closes a pipe that has been silent for the drain grace after the exit, measured from the last byte", () =>
  Effect.gen(function* () {
    const { process, pump } = yield* makePump()
    const { contents, fiber, seen } = yield* pulling(pump)
    process.exit({ exitCode: 0 }, false)
    yield* turn
    for (let n = 0; n < 5; n++) {
      yield* TestClock.adjust("99 millis")
      yield* turn
      process.stdout.write(`${n}\n`)
      yield* turn
    }
    expect(contents()).toEqual(["0\n", "1\n", "2\n", "3\n", "4\n"])
    yield* TestClock.adjust("99 millis")
    yield* turn
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(fiber)
    expect(seen.at(-1)).toMatchObject({ drain: "cut", exitCode: 0, duration: 0 })
    expect([process.stdout.released, process.stderr.released]).toEqual([true, true])
  }))

/** Calls back after this many turns of the event loop: a busy one brings input late, and fires its timers before. */
const afterTurns = (turns: number, callback: () => void): void =>
  void setImmediate(() => turns === 1 ? callback() : afterTurns(turns - 1, callback))

/** A drain grace without a byte. */
const silentGrace = Effect.andThen(
  TestClock.adjust("100 millis"),
  Effect.callback<void>((resume) => afterTurns(140, () => resume(Effect.void))),
)

it.effect("reads late output from pipes that no process holds, for at most 100 graces", () =>
  Effect.gen(function* () {
    const late = yield* makePump({}, { mayHoldOutput: () => false })
    const reading = yield* pulling(late.pump)
    late.process.exit({ exitCode: 0 }, false)
    yield* turn
    yield* Effect.repeat(silentGrace, { times: 49 })
    late.process.stdout.write("late\n")
    late.process.close()
    yield* Fiber.join(reading.fiber)
    expect(reading.seen.at(-1)).toMatchObject({ drain: "eof", stdoutBytes: 5 })

    const never = yield* makePump({}, { mayHoldOutput: () => false })
    const waiting = yield* pulling(never.pump)
    never.process.exit({ exitCode: 0 }, false)
    yield* turn
    for (let n = 0; n <= 100; n++) {
      expect(waiting.fiber.pollUnsafe()).toBeUndefined()
      yield* silentGrace
    }
    yield* Fiber.join(waiting.fiber)
    expect(waiting.seen.at(-1)).toMatchObject({ drain: "cut" })
  }))

it.effect("reads output written before the exit, even if this program was busy for longer than the drain grace", () =>
  Effect.gen(function* () {
    const { process, pump } = yield* makePump()
    const { contents, fiber, seen } = yield* pulling(pump)
    process.exit({ exitCode: 0 }, false)
    afterTurns(70, () => {
      process.stdout.write("late\n")
      process.close()
    })
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(fiber)
    expect(contents()).toEqual(["late\n"])
    expect(seen.at(-1)).toMatchObject({ drain: "eof", stdoutBytes: 5 })
  }))

it.effect("does not take a busy program for an idle process", () =>
  Effect.gen(function* () {
    const { process, pump } = yield* makePump({ idleTimeout: "1 second" })
    const { contents, fiber } = yield* pulling(pump)
    afterTurns(70, () => process.stdout.write("late\n"))
    yield* TestClock.adjust("2 seconds")
    yield* eventually("the text has come", () => contents().length === 1)
    expect(process.terminations).toBe(0)
    process.exit()
    yield* Fiber.join(fiber)
  }))

it.effect("emits a partial line when its time is up, after the elements that were gathered before it", () =>
  Effect.gen(function* () {
    const { process, pump } = yield* makePump()
    const { contents, fiber, seen } = yield* pulling(pump)
    process.stdout.write("one")
    yield* turn
    yield* TestClock.adjust("60 millis")
    process.stderr.write("other\n")
    yield* turn
    process.stdout.write(" two")
    yield* turn
    expect(contents()).toEqual(["other\n"])
    yield* TestClock.adjust("40 millis")
    yield* turn
    expect(contents()).toEqual(["other\n", "one two"])
    process.stdout.write("\nthree")
    yield* turn
    yield* TestClock.adjust("99 millis")
    yield* turn
    process.exit()
    yield* Fiber.join(fiber)
    expect(contents()).toEqual(["other\n", "one two", "\n", "three"])
    expect(seen.flatMap((event) => event._tag === "ShellOutputChunk" ? [event.seq] : [])).toEqual([0, 1, 2, 3])
  }))

it.effect("ends the process at its timeout, also without a pull", () =>
  Effect.gen(function* () {
    const { finished, process, pump } = yield* makePump({ timeout: "1 minute" })
    process.stdout.write("so far\n")
    yield* TestClock.adjust("59 seconds")
    yield* turn
    expect(process.terminations).toBe(0)
    yield* TestClock.adjust("1 second")
    yield* turn
    expect(process.terminations).toBe(1)
    const { contents, fiber } = yield* pulling(pump)
    const fault = yield* Effect.flip(Fiber.join(fiber))
    expect(contents()).toEqual(["so far\n"])
    expect(fault).toMatchObject({ reason: { _tag: "Timeout", kind: "total", afterMillis: 60_000 }, stdout: "so far\n" })
    expect(finished).toEqual(["ShellFault"])
  }))

it.effect("lists processes that could not be ended in the fault and in its message", () =>
  Effect.gen(function* () {
    const { process, pump } = yield* makePump({ timeout: "1 minute" })
    process.survivors = [12, 13]
    yield* TestClock.adjust("1 minute")
    yield* turn
    const { fiber } = yield* pulling(pump)
    const fault = yield* Effect.flip(Fiber.join(fiber))
    expect(fault).toMatchObject({ reason: { _tag: "Timeout", kind: "total" }, survivors: [12, 13] })
    expect(fault.message).toBe(
      "exec: fake did not end within 1m and was ended, but could not be ended completely: 12, 13 still run (TIMEOUT)",
    )
  }))

it.effect("measures silence from the last byte, and only during a pull", () =>
  Effect.gen(function* () {
    const { process, pump } = yield* makePump({ idleTimeout: "1 minute" })
    yield* TestClock.adjust("1 hour")
    const { fiber } = yield* pulling(pump)
    yield* TestClock.adjust("40 seconds")
    process.stderr.write("here\n")
    yield* turn
    yield* TestClock.adjust("59 seconds")
    yield* turn
    expect(process.terminations).toBe(0)
    yield* TestClock.adjust("1 second")
    const fault = yield* Effect.flip(Fiber.join(fiber))
    expect(fault).toMatchObject({ reason: { _tag: "Timeout", kind: "idle", afterMillis: 60_000 }, stderr: "here\n" })
  }))

it.effect("emits the fault only when the tree is dead, after the output until then", () =>
  Effect.gen(function* () {
    const { process, pump } = yield* makePump()
    process.onTerminate = Effect.sync(() => process.exit({ exitCode: 0 }, false)).pipe(
      Effect.andThen(Effect.sleep("10 seconds")),
      Effect.andThen(Effect.sync(() => process.stdout.write("bye\n"))),
    )
    const { contents, fiber } = yield* pulling(pump)
    pump.end({ _tag: "Cancelled", by: "test" }, "exec: enough (CANCELLED)")
    yield* turn
    yield* TestClock.adjust("9 seconds")
    yield* turn
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    yield* turn
    expect(contents()).toEqual(["bye\n"])
    // An unknown process holds the pipes.
    yield* TestClock.adjust("100 millis")
    const fault = yield* Effect.flip(Fiber.join(fiber))
    expect(fault).toMatchObject({ reason: { _tag: "Cancelled" }, message: "exec: enough (CANCELLED)", stdout: "bye\n" })
    expect(process.stdout.released).toBe(true)
  }))

it.effect("emits the fault only when the tree is dead, also when the pipes have ended long before", () =>
  Effect.gen(function* () {
    const { process, pump } = yield* makePump()
    process.onTerminate = Effect.andThen(Effect.sync(() => process.exit()), Effect.sleep("10 seconds"))
    const { fiber } = yield* pulling(pump)
    pump.end({ _tag: "Cancelled", by: "test" }, "exec: enough (CANCELLED)")
    yield* turn
    yield* TestClock.adjust("9 seconds")
    yield* turn
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    expect(yield* Effect.flip(Fiber.join(fiber))).toMatchObject({ reason: { _tag: "Cancelled" } })
  }))

it.effect("emits the fault also when the process cannot be ended", () =>
  Effect.gen(function* () {
    const { process, pump } = yield* makePump({ timeout: "1 second" })
    process.onTerminate = Effect.sleep("5 seconds")
    const { fiber } = yield* pulling(pump)
    yield* TestClock.adjust("6 seconds")
    yield* turn
    yield* TestClock.adjust("100 millis")
    expect(yield* Effect.flip(Fiber.join(fiber))).toMatchObject({ reason: { _tag: "Timeout" } })
    yield* pump.close
    expect(process.terminations).toBe(1)
  }))

it.effect("keeps the first reason", () =>
  Effect.gen(function* () {
    const { process, pump } = yield* makePump({ timeout: "1 second" })
    process.onTerminate = Effect.never
    pump.end({ _tag: "Cancelled", by: "first" }, "first")
    pump.end({ _tag: "Cancelled", by: "second" }, "second")
    yield* TestClock.adjust("2 seconds")
    yield* turn
    expect(process.terminations).toBe(1)
    process.exit()
  }))

it.effect("ends a running process when it is closed, drops its remaining output, and waits for its end", () =>
  Effect.gen(function* () {
    const { finished, process, pump } = yield* makePump()
    process.onTerminate = Effect.andThen(
      Effect.sleep("1 second"),
      Effect.sync(() => process.exit({ exitCode: 143, signal: "SIGTERM" })),
    )
    process.stdout.write("a\n")
    yield* pump.next
    const closing = yield* Effect.forkChild(pump.close)
    yield* turn
    for (let n = 0; n < 50; n++) process.stdout.write("last words\n")
    yield* eventually("it is read and dropped", () => process.stdout.unread === 0)
    expect(closing.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(closing)
    expect([process.terminations, finished.length]).toEqual([1, 0])
    expect(yield* Effect.exit(Pull.catchDone(pump.next, () => Effect.succeed("done")))).toEqual(Exit.succeed("done"))
  }))

it.effect("waits for a running termination when it is closed", () =>
  Effect.gen(function* () {
    const { process, pump } = yield* makePump()
    process.onTerminate = Effect.andThen(Effect.sleep("1 second"), Effect.sync(() => process.exit()))
    pump.end({ _tag: "Cancelled", by: "test" }, "enough")
    const closing = yield* Effect.forkChild(pump.close)
    yield* turn
    expect(closing.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(closing)
    expect(process.terminations).toBe(1)
  }))

it.effect("ends background processes when it is closed before the end of the run, and none afterwards", () =>
  Effect.gen(function* () {
    const open = yield* makePump()
    open.process.stdout.write("a\n")
    yield* open.pump.next
    open.process.exit({ exitCode: 0 }, false)
    yield* open.pump.close
    expect(open.process.terminations).toBe(1)

    const over = yield* makePump()
    over.process.stdout.write("a")
    const { fiber } = yield* pulling(over.pump)
    over.process.exit()
    yield* Fiber.join(fiber)
    yield* over.pump.close
    expect(over.process.terminations).toBe(0)
  }))

it.effect("continues after an interrupted pull without losing output", () =>
  Effect.gen(function* () {
    const { process, pump } = yield* makePump()
    const waiting = yield* Effect.forkChild(pump.next)
    yield* turn
    yield* Fiber.interrupt(waiting)
    process.stdout.write("0\n")
    yield* turn
    process.stdout.write("1\n")
    process.exit()
    const { contents, fiber } = yield* pulling(pump)
    yield* Fiber.join(fiber)
    expect(contents().join("")).toBe("0\n1\n")
  }))

it.effect("emits the whole output at the end for a collecting sink", () =>
  Effect.gen(function* () {
    const exec = ShellExec.make("fake", [], { streamOutput: false })
    const { process, pump } = yield* makePumpWith(exec, 100, () => makeCollectSink(exec))
    const { fiber, seen } = yield* pulling(pump)
    process.stdout.write("a\nb")
    process.stderr.write("c")
    yield* turn
    process.exit()
    yield* Fiber.join(fiber)
    expect(seen).toMatchObject([{ _tag: "ShellOutput", stdout: "a\nb", stderr: "c" }])
  }))

it.effect("loses no byte, repeats none and keeps each stream's order, at any timing", () =>
  Effect.gen(function* () {
    for (let seed = 1; seed <= 40; seed++) {
      const { cut, int, next, pick } = random(seed)
      const { process, pump } = yield* makePump({
        chunking: pick([Chunking.hybrid(), Chunking.line(9), Chunking.size(4)]),
      })
      const texts = { stdout: randomText(random(seed + 1_000), 60), stderr: randomText(random(seed + 2_000), 60) }
      const left = {
        stdout: [...cut(new TextEncoder().encode(texts.stdout), 12)].filter(({ length }) => length > 0),
        stderr: [...cut(new TextEncoder().encode(texts.stderr), 12)].filter(({ length }) => length > 0),
      }
      const { fiber, seen } = yield* pulling(pump)
      while (left.stdout.length + left.stderr.length > 0) {
        const name = pick(["stdout", "stderr"] as const)
        const piece = left[name].shift()
        if (piece !== undefined) process[name].write(piece)
        if (next() < 0.3) yield* TestClock.adjust(int(1, 60))
        if (next() < 0.3) yield* pause(0)
      }
      process.exit()
      yield* Fiber.join(fiber)
      const chunks = seen.filter((event) => event._tag === "ShellOutputChunk")
      const told = (stream: string) =>
        chunks.filter((chunk) => chunk.stream === stream).map(({ content }) => content).join("")
      expect([seed, told("stdout"), told("stderr")]).toEqual([seed, texts.stdout, texts.stderr])
      expect(chunks.map(({ seq }) => seq)).toEqual(chunks.map((_, index) => index))
      expect(seen.at(-1)).toMatchObject({ _tag: "ShellOutput", drain: "eof" })
    }
  }))

it.effect("ends with the fault of the exit, after the output from before it, and terminates nothing", () =>
  Effect.gen(function* () {
    const { finished, process, pump } = yield* makePump()
    process.stdout.write("before\n")
    process.exit({
      exitCode: 137,
      fault: { reason: { _tag: "ResourceExhausted", resource: "memory" }, message: "exec: out of memory (ENOMEM)" },
    })
    const [chunk] = yield* pump.next
    expect(chunk).toMatchObject({ _tag: "ShellOutputChunk", content: "before\n" })
    const fault = yield* Effect.flip(pump.next)
    expect(fault).toMatchObject({ _tag: "ShellFault", reason: { resource: "memory" }, stdout: "before\n" })
    yield* pump.close
    expect([finished, process.terminations]).toEqual([["ShellFault"], 0])
  }))

for (const when of ["while its rest is dropped", "before it is closed", "only as it is closed"] as const) {
  it.effect(`ends the writer of an output once when the pipe ends ${when}`, () =>
    Effect.gen(function* () {
      let ends = 0
      const to: ByteWriter = {
        write: () => Promise.resolve(true),
        end: () => {
          ends++
          return Promise.resolve()
        },
      }
      const { process, pump } = yield* makePumpWith(ShellExec.make("fake"), 100, makeByteSink, {}, to)
      if (when === "before it is closed") process.close()
      process.onTerminate = Effect.sync(() => process.exit({ exitCode: 0 }, when === "while its rest is dropped"))
      yield* pump.close
      expect(ends).toBe(1)
    }))
}
