/** Runs commands that go every way a run can go, and prints what is left of them as JSON. A process of its own. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { LocalShell, Shell, ShellExec, type ShellExecOptions } from "../../../mod.ts"

/** Everything open that belongs to a child's life: pipes, sockets, pidfds. */
const descriptors = (): number =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return /^(pipe|socket|anon_inode:\[pidfd\])/.test(readlinkSync(`/proc/self/fd/${fd}`))
    } catch {
      return false
    }
  }).length

/** The children of this process, zombies too. */
const children = (): ReadonlyArray<string> =>
  readdirSync("/proc/self/task").flatMap((task) => {
    try {
      return readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter((pid) => pid !== "")
    } catch {
      return []
    }
  })

const pause = (millis: number) => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, millis)))
const drain = (script: string, options?: ShellExecOptions) =>
  Effect.exit(Stream.runDrain(Shell.exec(ShellExec.shell(script, options))))

const endless = ShellExec.shell("while :; do echo tick; sleep 0.01; done")

/** How a run ended: what must come of it, so that no way is taken for another. */
const ways: ReadonlyArray<
  readonly [expected: "Success" | "Failure", Effect.Effect<{ readonly _tag: string }, never, Shell>]
> = [
  ["Success", drain("echo a; echo b >&2")],
  ["Success", Effect.exit(Shell.exec(endless).pipe(Stream.take(1), Stream.runDrain))],
  ["Failure", drain("sleep 20", { timeout: "20 millis" })],
  ["Success", drain("head -n 1", { input: "line\n".repeat(100_000) })],
  ["Failure", drain("echo", { cwd: "/no/such/directory" })],
  [
    "Success",
    Effect.exit(Shell.bytes(ShellExec.shell("head -c 300000 /dev/zero")).pipe(Stream.take(1), Stream.runDrain)),
  ],
  ["Success", drain("sleep 0.3 & echo left behind")],
  [
    "Failure",
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(Stream.runDrain(Shell.exec(endless, { stdin: Stream.never })))
      yield* pause(10)
      yield* Fiber.interrupt(running)
      return yield* Fiber.await(running)
    }),
  ],
]

const oneOfEach = Effect.forEach(ways, ([expected, way]) =>
  Effect.map(way, (exit) => {
    if (exit._tag !== expected) throw new Error(`${expected} became ${JSON.stringify(exit)}`)
  }))

const settled = Effect.gen(function* () {
  for (let round = 0; round < 200 && children().length > 0; round++) yield* pause(10)
  // Pipes are closed a little after they were given up.
  yield* pause(300)
  return { descriptors: descriptors(), children: children() }
})

const program = Effect.gen(function* () {
  // What the runtime opens once and keeps is not ours to count.
  yield* oneOfEach
  const before = yield* settled
  for (let round = 0; round < 6; round++) yield* oneOfEach
  return { before, after: yield* settled }
})

const shell = LocalShell.layerWith({ grace: "200 millis" })
console.log(JSON.stringify(await Effect.runPromise(Effect.provide(program, shell))))
