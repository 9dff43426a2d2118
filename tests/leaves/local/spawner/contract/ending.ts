import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ChildProcess } from "effect/process"
import { eventually } from "../../../../support/eventually.ts"
import { heartbeat } from "../../../../support/heartbeat.ts"
import { type Workshop, workshop } from "../../../../support/workshop.ts"
import { type Part, sh, text } from "./target.ts"

const quiet = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const

/** The last command of a script, shown to live by a file that grows. */
const beating = ({ path }: Workshop, name: string): string => heartbeat(path(name))

/** The same within the shell, whose traps stay; it ends with its directory. */
const heartbeatInShell = ({ path }: Workshop, name: string): string =>
  `while printf . >> '${path(name)}'; do sleep 0.02; done`

/**
 * The proof of a death: no file grows any more. Effect's own spawner gives an exit code before the signal for the group
 * has reached it, so a file may grow once more.
 */
const expectDead = ({ size }: Workshop, ...files: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const last = files.map(size)
    expect(last.filter((count) => count === 0)).toEqual([])
    yield* Effect.sleep("250 millis")
    expect(files.map(size)).toEqual(last)
  }).pipe(Effect.catchDefect((defect) => Effect.fail(defect)), Effect.retry({ times: 3 }), Effect.orDie)

const allRun = ({ size }: Workshop, ...files: ReadonlyArray<string>) =>
  eventually(`${files} grow`, () => files.every((file) => size(file) > 2))

export const ending: Part = (test, { does, layer }) => {
  describe("an end", () => {
    test("by kill waits until the process has ended", () =>
      Effect.gen(function* () {
        const handle = yield* ChildProcess.make("sleep", ["30"])
        expect(yield* handle.isRunning).toBe(true)
        yield* handle.kill()
        expect(yield* handle.isRunning).toBe(false)
        expect(String((yield* Effect.flip(handle.exitCode)).cause)).toContain("'SIGTERM'")
      }))

    test("uses the given signal", () =>
      Effect.gen(function* () {
        const handle = yield* sh("trap 'exit 7' INT; echo ready; while :; do sleep 0.01; done")
        yield* Stream.runDrain(Stream.take(handle.stdout, 1))
        yield* handle.kill({ killSignal: "SIGINT" })
        expect(yield* handle.exitCode).toBe(7)
      }))

    test("may take time, and run a handler", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        const handle = yield* sh(
          `trap 'sleep 0.3; touch "${room.path("cleaned")}"; exit 0' TERM; echo ready; while :; do sleep 0.01; done`,
        )
        yield* Stream.runDrain(Stream.take(handle.stdout, 1))
        yield* handle.kill()
        expect(yield* handle.exitCode).toBe(0)
        expect(room.exists("cleaned")).toBe(true)
      }))

    test("is forced after the grace on processes that ignore the signal", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        const handle = yield* sh(`trap '' TERM; ${beating(room, "heartbeat")}`)
        yield* allRun(room, "heartbeat")
        yield* handle.kill({ forceKillAfter: "50 millis" })
        expect(String((yield* Effect.flip(handle.exitCode)).cause)).toContain("'SIGKILL'")
        yield* expectDead(room, "heartbeat")
      }))

    it.effect("does not wait for a clock that stands still", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        const handle = yield* sh(`trap '' TERM; ${beating(room, "heartbeat")}`)
        yield* allRun(room, "heartbeat")
        yield* handle.kill({ forceKillAfter: "50 millis" })
        expect(yield* handle.isRunning).toBe(false)
      }).pipe(Effect.provide(layer)))

    test("ends the whole group", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        const handle = yield* sh(
          `(${beating(room, "child")}) & sh -c '(${beating(room, "grandchild").replaceAll("'", '"')}) & wait' & wait`,
        )
        yield* allRun(room, "child", "grandchild")
        yield* handle.kill()
        yield* expectDead(room, "child", "grandchild")
      }))

    test("comes with the scope's", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        yield* Effect.scoped(Effect.andThen(sh(`${beating(room, "child")} & wait`), allRun(room, "child")))
        yield* expectDead(room, "child")
      }))

    if (does.hearsLastWords) {
      test("is not delayed by unread last output", () =>
        Effect.gen(function* () {
          const room = yield* workshop
          const script = `trap 'head -c 1000000 /dev/zero; touch "${room.path("said")}"; exit 0' TERM; ${
            heartbeatInShell(room, "heartbeat")
          }`
          yield* Effect.scoped(Effect.andThen(sh(script), allRun(room, "heartbeat")))
          expect(room.exists("said")).toBe(true)
        }))
    }

    test("comes with an interruption", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        const running = yield* Effect.forkChild(
          Effect.scoped(Effect.flatMap(sh(`${beating(room, "child")} & wait`), (handle) => handle.exitCode)),
        )
        yield* allRun(room, "child")
        yield* Fiber.interrupt(running)
        yield* expectDead(room, "child")
      }))

    test("comes with the scope's by the command's own options", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        const options = { killSignal: "SIGINT", forceKillAfter: "500 millis", ...quiet } as const
        yield* Effect.scoped(Effect.gen(function* () {
          yield* sh(
            `trap '' TERM; trap ': > "${room.path("asked")}"' INT; ${heartbeatInShell(room, "heartbeat")}`,
            options,
          )
          yield* allRun(room, "heartbeat")
        }))
        expect(room.exists("asked")).toBe(true)
        yield* expectDead(room, "heartbeat")
      }))

    test("ends the processes that a process left in its group: when the scope closes, or at once when it failed", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        yield* Effect.scoped(Effect.gen(function* () {
          const good = yield* sh(`(${beating(room, "good")}) & exit 0`, quiet)
          const bad = yield* sh(
            `(${beating(room, "bad")}) & while [ ! -s '${room.path("bad")}' ]; do :; done; exit 1`,
            quiet,
          )
          expect([yield* good.exitCode, yield* bad.exitCode]).toEqual([0, 1])
          yield* allRun(room, "good")
          yield* expectDead(room, "bad")
          yield* allRun(room, "good")
        }))
        yield* expectDead(room, "good")
      }))

    test("by kill reaches the rest of the group", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        const handle = yield* sh(`(${beating(room, "left")}) & exit 0`, quiet)
        expect(yield* handle.exitCode).toBe(0)
        yield* allRun(room, "left")
        yield* handle.kill()
        yield* expectDead(room, "left")
      }))

    test("by kill fails when no process is left", () =>
      Effect.gen(function* () {
        for (const program of ["true", "false"]) {
          const handle = yield* ChildProcess.make(program)
          yield* handle.exitCode
          const { cause, reason } = yield* Effect.flip(handle.kill())
          expect([reason._tag, reason.module, reason.method]).toEqual(["Unknown", "ChildProcess", "kill"])
          expect(String(cause)).toBe("Error: Failed to kill child process")
        }
      }))

    test("spares other processes", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        yield* sh(beating(room, "other"))
        yield* Effect.scoped(Effect.andThen(sh(beating(room, "heartbeat")), allRun(room, "heartbeat", "other")))
        yield* expectDead(room, "heartbeat")
        const before = room.size("other")
        yield* eventually("the other lives", () => room.size("other") > before)
      }))

    test("of a process that is not detached is its own", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        const handle = yield* sh(beating(room, "heartbeat"), { detached: false })
        yield* allRun(room, "heartbeat")
        yield* handle.kill()
        expect(yield* handle.isRunning).toBe(false)
        yield* expectDead(room, "heartbeat")
      }))
  })

  describe("an unrefed process", () => {
    const inOwnScope = Effect.fnUntraced(function* (command: ChildProcess.Command) {
      const scope = yield* Scope.make()
      return { scope, handle: yield* Scope.provide(command, scope) }
    })

    test("stays when its scope closes, and can still be killed", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        const { handle, scope } = yield* inOwnScope(sh(beating(room, "heartbeat"), quiet))
        yield* handle.unref
        yield* Scope.close(scope, Exit.void)
        const before = room.size("heartbeat")
        yield* eventually("it lives", () => room.size("heartbeat") > before + 2)
        expect(yield* handle.isRunning).toBe(true)
        yield* handle.kill({ killSignal: "SIGKILL" })
        yield* expectDead(room, "heartbeat")
      }))

    test("ends with its scope once it is referenced again", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        const { handle, scope } = yield* inOwnScope(sh(beating(room, "heartbeat"), quiet))
        yield* allRun(room, "heartbeat")
        const reref = yield* handle.unref
        yield* handle.unref
        yield* reref
        yield* Scope.close(scope, Exit.void)
        expect(yield* handle.isRunning).toBe(false)
        yield* expectDead(room, "heartbeat")
      }))

    test("has its exit code after its scope has closed, and ends its group when it fails", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        const script = `(${beating(room, "left")}) & sleep 0.3; exit 9`
        const { handle, scope } = yield* inOwnScope(sh(script, quiet))
        yield* handle.unref
        yield* Scope.close(scope, Exit.void)
        expect(yield* handle.exitCode).toBe(9)
        yield* expectDead(room, "left")
      }))

    test("is every one of a pipeline", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        const pipeline = sh(beating(room, "first")).pipe(ChildProcess.pipeTo(sh(beating(room, "second"))))
        const { handle, scope } = yield* inOwnScope(pipeline)
        const reref = yield* handle.unref
        yield* Scope.close(scope, Exit.void)
        const before = [room.size("first"), room.size("second")]
        yield* eventually(
          "both live",
          () => before.every((count, i) => room.size(["first", "second"][i] ?? "") > count),
        )
        yield* reref
        yield* handle.kill()
        yield* expectDead(room, "first", "second")
      }))
  })

  describe("a handle", () => {
    test("has a readable inspection", () =>
      Effect.gen(function* () {
        const handle = yield* ChildProcess.make("true")
        expect(handle.pid).toBeGreaterThan(1)
        expect(JSON.parse(JSON.stringify(handle))).toEqual({ _id: "ChildProcessHandle", pid: handle.pid })
        expect(yield* text(handle.all)).toBe("")
      }))
  })
}
