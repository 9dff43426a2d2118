import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { Shell, ShellExec } from "@sluice/shell"
import { makeProcessRuns, type SpawnedProcess, validateExec } from "@sluice/shell/leaf"

/** A process that writes one text and exits. */
const writing = (text: string): SpawnedProcess => {
  const pipe = (bytes: Uint8Array | undefined) => ({
    read: (done: (bytes: Uint8Array | undefined) => void) => {
      const next = bytes
      bytes = undefined
      done(next)
    },
    release: () => {},
  })
  return {
    executable: "/leaf/echo",
    stdout: pipe(new TextEncoder().encode(text)),
    stderr: pipe(undefined),
    onExit: (done) => done({ exitCode: 0 }),
    terminate: () => Effect.succeed([]),
  }
}

const leaf = Shell.make({
  ...makeProcessRuns({
    maxConcurrency: 1,
    maxQueued: 10,
    timeoutMillis: Infinity,
    grace: Duration.seconds(5),
    drainGraceMillis: 100,
    prepare: (exec) => {
      const fault = validateExec(exec)
      return fault === undefined
        ? Result.succeed(() => writing(exec.arguments.map(String).join(" ") + "\n"))
        : Result.fail(fault)
    },
  }),
  capabilities: { leaf: "echo", backPressure: true },
})

it.effect("is enough to write a leaf: text, chunks, bytes, ends and faults come from its runs", () =>
  Effect.gen(function* () {
    expect(yield* Shell.text(ShellExec.make("echo", ["a", "b"]))).toBe("a b")
    const events = yield* Stream.runCollect(Shell.exec(ShellExec.make("echo", ["a"])))
    expect(events.map(({ _tag }) => _tag)).toEqual(["ShellOutputChunk", "ShellOutput"])
    expect(events.at(-1)).toMatchObject({ executable: "/leaf/echo", exitCode: 0, stdoutBytes: 2, drain: "eof" })
    const [bytes] = yield* Stream.runCollect(
      Stream.map(Shell.bytes(ShellExec.make("echo", ["a"])), (e) => e._tag === "ShellBytes" ? [...e.bytes] : e._tag),
    )
    expect(bytes).toEqual([0x61, 0x0a])
    const fault = yield* Effect.flip(Shell.run(ShellExec.make("")))
    expect(fault.reason).toEqual({ _tag: "InvalidRequest", field: "command", code: "EINVAL" })
    expect((yield* Shell).capabilities).toMatchObject({ leaf: "echo", backPressure: true, pty: false })
  }).pipe(Effect.provide(Layer.succeed(Shell, leaf))))

for (
  const [when, onSpawn] of [
    ["its fiber is interrupted in onSpawn", (fiber: Fiber.Fiber<unknown, unknown>) => fiber.interruptUnsafe()],
    ["onSpawn throws", () => {
      throw new Error("thrown by onSpawn")
    }],
  ] as const
) {
  for (const stdin of [undefined, Stream.never]) {
    const from = stdin === undefined ? "a value" : "a stream"
    it.effect(`closes the stdin of a process whose input, ${from}, was not begun because ${when}`, () =>
      Effect.gen(function* () {
        let isOpen = true
        const waiting: SpawnedProcess = {
          ...writing(""),
          stdin: {
            write: () => Promise.resolve(true),
            end: () => {
              isOpen = false
              return Promise.resolve()
            },
          },
        }
        const { exec } = makeProcessRuns({
          maxConcurrency: 1,
          maxQueued: 10,
          timeoutMillis: Infinity,
          grace: Duration.seconds(5),
          drainGraceMillis: 100,
          prepare: () => Result.succeed(() => waiting),
        })
        const run = Effect.withFiber((fiber) =>
          Stream.runDrain(exec(ShellExec.make("cat", [], { input: "text" }), { stdin, onSpawn: () => onSpawn(fiber) }))
        )
        yield* Fiber.await(yield* Effect.forkChild(run))
        expect(isOpen).toBe(false)
      }))
  }
}
