/** Sluice, as an Effect program uses it. */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec, Window } from "../../mod.ts"
import { type Command, expect, lineLength, type Meter, meterText, type Tool } from "./Tool.ts"

// One setting: no queue, since each row says how many run at once; 4 is the default.
const runtime = ManagedRuntime.make(
  LocalShell.layerWith({ maxConcurrency: 1_000 }),
)

const make = ({ file, args }: Command): ShellExec => ShellExec.make(file, args)

const rested = (wait: Promise<void> | undefined): Effect.Effect<void> =>
  wait === undefined ? Effect.void : Effect.promise(() => wait)

const lines = (c: Command, meter: Meter): Promise<void> =>
  runtime.runPromise(
    Stream.runForEachArray(Shell.exec(make(c)), (events) => {
      let wait: Promise<void> | undefined
      for (const event of events) {
        if (event._tag === "ShellOutput") {
          expect(event.exitCode === 0, "the exit code")
        } else wait = meterText(event.content, meter) ?? wait
      }
      return rested(wait)
    }),
  )

/** Chunks of whole lines, as they come. */
export const tool: Tool = {
  spawn: (c, times, concurrency) =>
    runtime.runPromise(
      Effect.replicateEffect(Stream.runDrain(Shell.exec(make(c))), times, {
        concurrency,
        discard: true,
      }),
    ),
  bytes: (c, meter) =>
    runtime.runPromise(
      Stream.runForEachArray(Shell.bytes(make(c)), (events) => {
        let wait: Promise<void> | undefined
        for (const event of events) {
          if (event._tag === "ShellOutput") {
            expect(event.exitCode === 0, "the exit code")
          } else wait = meter(event.bytes.length) ?? wait
        }
        return rested(wait)
      }),
    ),
  lines,
  text: async ({ file, args }) => {
    const output = await runtime.runPromise(
      Stream.runLast(
        Shell.exec(ShellExec.make(file, args, { streamOutput: false })),
      ).pipe(
        Effect.flatMap(Effect.fromOption),
      ),
    )
    if (output._tag !== "ShellOutput") throw new Error("no output at the end")
    return output.stdout
  },
  timeout: ({ file, args }, timeout, grace) =>
    runtime.runPromise(
      Stream.runDrain(
        Shell.exec(ShellExec.make(file, args, { timeout, grace })),
      ),
    ),
}

/** Windows of 50 lines. */
export const windows: Tool = {
  lines: (c, meter) => {
    let short = 0
    return runtime.runPromise(
      Shell.exec(make(c)).pipe(
        Window.apply(Window.lineCount(50)),
        Stream.runForEachArray((events) => {
          let wait: Promise<void> | undefined
          for (const event of events) {
            if (event._tag === "ShellOutput") {
              expect(event.exitCode === 0, "the exit code")
              continue
            }
            if (event.content.length !== 50 * lineLength) short++
            wait = meterText(event.content, meter) ?? wait
          }
          expect(short <= 1, "windows of 50 lines, the last excepted")
          return rested(wait)
        }),
      ),
    )
  },
}
