/**
 * Counts the suspensions of fibers for one command: `npx deno run -A bench/suspensions.ts` (or `npx bun`, `npx node`).
 *
 * Effect makes an `AsyncResource` at each suspension and each fork of a child. It looks for the class once, when it is
 * loaded, so this script gives it one that counts. See `architecture/deno-suspensions.md`.
 */
import { AsyncResource } from "node:async_hooks"
import process from "node:process"

let suspensions = 0
class CountedResource extends AsyncResource {
  constructor(type: string) {
    super(type)
    if (type === "effect/Fiber") suspensions++
  }
}
const getBuiltinModule = process.getBuiltinModule.bind(process)
Object.defineProperty(process, "getBuiltinModule", {
  value: (id: string) => id === "node:async_hooks" ? { AsyncResource: CountedResource } : getBuiltinModule(id),
  configurable: true,
})

const { LocalShell, Shell, ShellExec } = await import("../mod.ts")
const Effect = await import("effect/Effect")
const ManagedRuntime = await import("effect/ManagedRuntime")
const Stream = await import("effect/Stream")

const runtime = ManagedRuntime.make(
  LocalShell.layerWith({ maxConcurrency: 16 }),
)
const times = 200
const rows = [
  [
    "Shell.exec, no output",
    Stream.runDrain(Shell.exec(ShellExec.make("true"))),
  ],
  ["Shell.run, no output", Shell.run(ShellExec.make("true"))],
  [
    "Shell.exec, one line",
    Stream.runDrain(Shell.exec(ShellExec.make("echo", ["hello"]))),
  ],
  [
    "Shell.text, 64 KiB",
    Shell.text(ShellExec.make("head", ["-c", "65536", "/dev/zero"])),
  ],
] as const
for (const [title, command] of rows) {
  for (const concurrency of [1, 16]) {
    await runtime.runPromise(command)
    const before = suspensions
    await runtime.runPromise(
      Effect.replicateEffect(command, times, { concurrency, discard: true }),
    )
    console.log(
      `${title}, ${concurrency} at once: ${((suspensions - before) / times).toFixed(2)}`,
    )
  }
}
await runtime.dispose()
