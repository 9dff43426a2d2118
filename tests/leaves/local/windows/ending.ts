import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { type LocalShellOptions, Shell, ShellExec, type ShellExecOptions } from "@sluice/shell"
import { cmd, eventually, faultOf, isAlive, isDead, promise, whole, type WindowsPromise } from "./promise.ts"
import { type Bench, bench, hasJobs } from "./programs.ts"

/** A command whose child beats, and says so first. */
const tree = ({ path }: Bench, options?: ShellExecOptions): ShellExec =>
  ShellExec.make(path("tree.cmd"), [path("beat")], options)

/** What holds with job objects, and without. */
const either = (how: string, settings: LocalShellOptions): ReadonlyArray<WindowsPromise> => [
  promise(
    `ends the whole tree when the time is up, and gives what was written (${how})`,
    () =>
      Effect.gen(function* () {
        const files = yield* bench
        const fault = yield* faultOf(tree(files, { timeout: "5 seconds" }))
        assert.deepEqual(fault.reason, { _tag: "Timeout", kind: "total", afterMillis: 5_000 })
        assert.equal(fault.stdout, "started\r\n")
        yield* isDead(() => files.size("beat"))
      }),
    settings,
  ),

  promise(
    `ends the whole tree when its signal is aborted, before the fault comes (${how})`,
    () =>
      Effect.gen(function* () {
        const files = yield* bench
        const controller = new AbortController()
        const size = () => files.size("beat")
        const fiber = yield* Effect.forkChild(faultOf(tree(files), { signal: controller.signal }))
        yield* eventually("it runs", () => size() > 2)
        controller.abort()
        const fault = yield* Fiber.join(fiber)
        assert.deepEqual(fault.reason, { _tag: "Cancelled", by: "signal" })
        yield* isDead(size)
      }),
    settings,
  ),

  promise(`ends the whole tree with its stream (${how})`, () =>
    Effect.gen(function* () {
      const files = yield* bench
      const size = () => files.size("beat")
      const fiber = yield* Effect.forkChild(Stream.runDrain(Shell.exec(tree(files))))
      yield* eventually("it runs", () => size() > 2)
      yield* Fiber.interrupt(fiber)
      yield* isDead(size)
    }), settings),

  promise(`leaves alone what a command that has ended left in the background (${how})`, () =>
    Effect.gen(function* () {
      const files = yield* bench
      const size = () => files.size("beat")
      const { drain, exitCode, stdout } = yield* whole(ShellExec.make(files.path("left.cmd"), [files.path("beat")]))
      assert.deepEqual([exitCode, stdout, drain], [0, "started\r\n", "cut"])
      yield* eventually("it runs", () => size() > 2)
      yield* isAlive(size)
    }), settings),
]

const job: ReadonlyArray<WindowsPromise> = [
  promise(
    "ends what is left of the tree also when the first process had gone before (job objects)",
    () =>
      Effect.gen(function* () {
        const files = yield* bench
        const size = () => files.size("beat")
        const exec = ShellExec.make(files.path("left.cmd"), [files.path("beat")])
        const fiber = yield* Effect.forkChild(Stream.runDrain(Shell.exec(exec)))
        yield* eventually("it runs", () => size() > 2)
        yield* Fiber.interrupt(fiber)
        yield* isDead(size)
      }),
    { drainGrace: "1 minute" },
  ),
]

export const ending: ReadonlyArray<WindowsPromise> = [
  ...(hasJobs ? [...either("job objects", {}), ...job] : []),
  ...either("taskkill", { useJobObjects: false }),

  promise("ends an idle command", () =>
    Effect.gen(function* () {
      const files = yield* bench
      const fault = yield* faultOf(tree(files, { idleTimeout: "3 seconds" }))
      assert.deepEqual(fault.reason, { _tag: "Timeout", kind: "idle", afterMillis: 3_000 })
      yield* isDead(() => files.size("beat"))
    })),

  promise("kills no other process", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* bench, yield* bench]
      const fiber = yield* Effect.forkChild(Stream.runDrain(Shell.exec(tree(other))))
      yield* eventually("the other runs", () => other.size("beat") > 2)
      yield* faultOf(tree(one, { timeout: "2 seconds" }))
      yield* isAlive(() => other.size("beat"))
      yield* Fiber.interrupt(fiber)
    })),

  promise("says how trees are ended", () =>
    Effect.gen(function* () {
      const { capabilities, endOrphans } = yield* Shell
      assert.deepEqual(
        [capabilities.groupKill, capabilities.escapees, capabilities.orphans],
        hasJobs ? ["native", true, true] : ["helper", false, false],
      )
      // No process remains of a command whose host was killed: see "ends a command and its tree when this program …".
      const report = endOrphans === undefined ? undefined : yield* endOrphans("some-command")
      assert.deepEqual(report, hasJobs ? { ended: 0, pids: [], survivors: [] } : undefined)
      assert.equal((yield* whole(cmd("exit 0"))).exitCode, 0)
    })),

  promise("says how trees are ended without job objects", () =>
    Effect.gen(function* () {
      const { capabilities } = yield* Shell
      const { escapees, groupKill, orphans } = capabilities
      assert.deepEqual([groupKill, escapees, orphans], ["helper", false, false])
    }), { useJobObjects: false }),
]
