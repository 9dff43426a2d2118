/**
 * The program of the page: a kernel without a host's process, file or built-in. The test calls what is exported by
 * name.
 */
import { Sandbox } from "@sluice/shell/sandbox"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Answer, answer } from "../answer.ts"

const programOf = async (name: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await (await fetch(`${name}.wasm`)).arrayBuffer())

const names = ["compute", "produce", "relay", "tally"] as const

const make = (options?: Sandbox.SandboxOptions) =>
  Effect.flatMap(
    Effect.promise(() => Promise.all(names.map(async (name) => [name, await programOf(name)] as const))),
    (programs) => Sandbox.make({ programs: Object.fromEntries(programs), ...options }),
  )

/** Bytes that a writer without end was ahead of its reader each time when the reader had stood still. */
const ahead = (): Promise<ReadonlyArray<number>> => {
  let written = 0
  let taken = 0
  const found: Array<number> = []
  const program = Effect.gen(function* () {
    const sandbox = yield* make({
      programs: {
        write: async (system) => {
          const piece = new Uint8Array(10_000)
          for (;;) {
            const count = await system.write(1, piece)
            if (count < 0) return 1
            written += count
          }
        },
      },
    })
    yield* sandbox.bytes("write").pipe(
      Stream.take(3),
      Stream.runForEach((event) => {
        if (event._tag === "ScriptBytes") taken += event.bytes.length
        return Effect.andThen(Effect.sleep("50 millis"), Effect.sync(() => found.push(written - taken)))
      }),
    )
  })
  return Effect.runPromise(Effect.as(Effect.scoped(program), found))
}

const isolated = make({ isolate: "worker" })
const timeout = "300 millis"
const onStart = (running: Sandbox.RunningScript) => void setTimeout(() => running.kill("SIGTERM"), 200)

const page = {
  /** What of other hosts is to be found here. */
  hosts: (): ReadonlyArray<string> =>
    ["process", "Deno", "Bun", "Buffer", "require", "setImmediate"].filter((name) => name in globalThis),
  run: (script: string): Promise<Answer> => answer(make(), script),
  limited: (script: string): Promise<Answer> => answer(make(), script, { timeout }),
  killed: (script: string): Promise<Answer> => answer(make(), script, { onStart }),
  isolated: (script: string): Promise<Answer> => answer(isolated, script),
  isolatedLimited: (script: string): Promise<Answer> => answer(isolated, script, { timeout }),
  ahead,
}

/** What the test may call. */
export type Call = keyof typeof page

Object.assign(globalThis, { page })
