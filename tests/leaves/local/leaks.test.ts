import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { LocalShell, Shell } from "@sluice/shell"
import { faultOf, run, sh } from "../../support/contract/target.ts"
import { scriptAnswer } from "../../support/script.ts"

const open = Schema.Struct({ descriptors: Schema.Int, children: Schema.Array(Schema.String) })
const Left = Schema.Struct({ before: open, after: open })

it.runIf(process.platform === "linux")(
  "leaves no descriptor open and no child unburied, however its runs end",
  async () => {
    const { after, before } = await scriptAnswer(Left, new URL("./leaks.fixture.ts", import.meta.url))
    expect(before.children).toEqual([])
    expect(after.children).toEqual([])
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors)
  },
)

/** A signal, and how many listen to it. */
const watched = () => {
  const { signal } = new AbortController()
  const { addEventListener, removeEventListener } = signal
  const watch = { signal, listening: 0 }
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    watch.listening++
    addEventListener.apply(signal, args)
  }
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    watch.listening--
    removeEventListener.apply(signal, args)
  }
  return watch
}

it.live("takes its listeners off a signal that outlives the commands", () =>
  Effect.gen(function* () {
    const watch = watched()
    const { signal } = watch
    const seen: Array<number> = []
    const look = Effect.sync(() => void seen.push(watch.listening))
    yield* Shell.exec(sh("echo a; sleep 0.1"), { signal }).pipe(Stream.tap(() => look), Stream.runDrain)
    yield* Shell.exec(sh("echo a; sleep 20"), { signal }).pipe(Stream.take(1), Stream.runDrain)
    yield* faultOf(sh("sleep 20", { timeout: "20 millis" }), { signal })
    yield* faultOf(sh("true", { cwd: "/no/such/directory" }), { signal })
    expect(Math.max(...seen)).toBe(1)
    expect(watch.listening).toBe(0)
  }).pipe(Effect.provide(LocalShell.layer)))

it.live("takes its listeners off a signal that it waited with", () =>
  Effect.gen(function* () {
    const watch = watched()
    const one = run(sh("sleep 0.05"), { signal: watch.signal })
    yield* Effect.forEach([1, 2, 3], () => one, { concurrency: "unbounded" })
    expect(watch.listening).toBe(0)
  }).pipe(Effect.provide(LocalShell.layerWith({ maxConcurrency: 1 }))))
