/** Lets 200 MB through, slowly taken at times, and prints how much the process grew, in MiB, as JSON. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec } from "../../../mod.ts"

const bytes = 200_000_000
const rss = (): number => process.memoryUsage().rss / 1_048_576
let most = 0
let count = 0
const look = (): void => void (most = Math.max(most, rss()))

const lines = Shell.exec(ShellExec.shell(`yes 0123456789abcdef0123456789abcdef | head -c ${bytes}`)).pipe(
  Stream.tap((event) => {
    if (event._tag !== "ShellOutputChunk") return Effect.void
    if (++count % 200 !== 0) return Effect.void
    look()
    return Effect.sleep("2 millis")
  }),
  Stream.runLast,
)
const warm = Stream.runDrain(Shell.exec(ShellExec.shell("yes 0123456789abcdef | head -c 20000000")))
const program = Effect.gen(function* () {
  yield* warm
  const before = rss()
  const last = yield* lines
  return {
    grown: most - before,
    read: last._tag === "Some" && last.value._tag === "ShellOutput" && last.value.stdoutBytes,
  }
})
console.log(JSON.stringify(await Effect.runPromise(Effect.provide(program, LocalShell.layer))))
