import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { fileURLToPath } from "node:url"
import { Shell, ShellExec, type ShellExecOptions } from "@sluice/shell"
import type { LeafRunOptions } from "@sluice/shell/leaf"
import { eventually, pause } from "../eventually.ts"
import { heartbeat } from "../heartbeat.ts"
import { workshop } from "../workshop.ts"
import { type Part, sh } from "./target.ts"

const family = fileURLToPath(new URL("../../fixtures/family.sh", import.meta.url))

const allMembers = ["child", "grandchild", "stubborn", "escapee", "orphan", "bare", "rabbit", "sleeper"]

export const trees: Part = (test, { can }) => {
  const members = allMembers.filter((member) => can.escapees || !["escapee", "orphan", "bare"].includes(member))

  /** A family that is up once `ready` has been said, and the proof of its death: no file of a member grows any more. */
  const makeFamily = Effect.map(workshop, ({ directory, size }) => {
    const sizes = () => members.map((member) => [member, size(member)] as const)
    return {
      allRun: () => sizes().every(([, count]) => count > 2),
      exec: (options: ShellExecOptions = {}) =>
        ShellExec.make("sh", [family, directory, ...members], { grace: "300 millis", ...options }),
      events(options?: ShellExecOptions, run?: LeafRunOptions) {
        return Shell.exec(this.exec(options), run)
      },
      expectDead: Effect.gen(function* () {
        const last = sizes()
        expect(last.filter(([, count]) => count === 0)).toEqual([])
        yield* pause(300)
        expect(sizes()).toEqual(last)
      }),
    }
  })

  test("ends the whole tree when the stream is closed after enough output", () =>
    Effect.gen(function* () {
      const family = yield* makeFamily
      const taken = yield* family.events().pipe(Stream.take(1), Stream.runCollect)
      expect(taken).toMatchObject([{ content: "ready\n" }])
      yield* family.expectDead
    }))

  test("ends the whole tree when its fiber is interrupted", () =>
    Effect.gen(function* () {
      const family = yield* makeFamily
      const running = yield* Effect.forkChild(Stream.runDrain(family.events({ streamOutput: false })))
      yield* eventually("all processes run", family.allRun)
      yield* Fiber.interrupt(running)
      yield* family.expectDead
    }))

  test("ends the whole tree when its signal is aborted, before the fault is emitted", () =>
    Effect.gen(function* () {
      const family = yield* makeFamily
      const controller = new AbortController()
      const fault = yield* family.events({}, { signal: controller.signal }).pipe(
        Stream.tap(() => Effect.sync(() => controller.abort())),
        Stream.runDrain,
        Effect.flip,
      )
      expect(fault.reason).toEqual({ _tag: "Cancelled", by: "signal" })
      yield* family.expectDead
    }))

  test("ends the whole tree when a downstream operator fails", () =>
    Effect.gen(function* () {
      const family = yield* makeFamily
      const exit = yield* family.events().pipe(
        Stream.mapEffect(() => Effect.die("downstream")),
        Stream.runDrain,
        Effect.exit,
      )
      expect(exit._tag).toBe("Failure")
      yield* family.expectDead
    }))

  test("ends the whole tree when the first process exits at once and others ignore the signal", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const script = `trap "" TERM; ${heartbeat(path("heartbeat"))}`
      const controller = new AbortController()
      const quoted = script.replaceAll("'", `'"'"'`)
      // Its output ends with the first process: only the process table shows the remaining processes.
      const exec = sh(`sh -c '${quoted}' >/dev/null 2>&1 & echo up; sleep 20`, { grace: "400 millis" })
      const fault = yield* Shell.exec(exec, { signal: controller.signal }).pipe(
        Stream.tap(() =>
          Effect.andThen(eventually("it runs", () => size("heartbeat") > 2), Effect.sync(() => controller.abort()))
        ),
        Stream.runDrain,
        Effect.flip,
      )
      expect(fault).toMatchObject({ reason: { _tag: "Cancelled" } })
      const last = size("heartbeat")
      yield* pause(200)
      expect(size("heartbeat")).toBe(last)
    }))

  // Where its output is taken without its reader, it has ended by then, and is to be left alone.
  if (can.escapees && can.backPressure && can.background !== false) {
    test("ends the whole tree even if the first process has ended, when the stream is closed before its end", () =>
      Effect.gen(function* () {
        const { path, size } = yield* workshop
        const exec = sh(`(${heartbeat(path("heartbeat"))}) & echo up; exit 0`)
        const taken = yield* Shell.exec(exec).pipe(
          Stream.tap(() => eventually("it still runs", () => size("heartbeat") > 8)),
          Stream.take(1),
          Stream.runCollect,
        )
        expect(taken.length).toBe(1)
        const last = size("heartbeat")
        yield* pause(200)
        expect(size("heartbeat")).toBe(last)
      }))
  }

  if (can.runaways) {
    test("ends the whole tree even if each generation starts the next one and exits", () =>
      Effect.gen(function* () {
        const { path, size } = yield* workshop
        const runaway = fileURLToPath(new URL("../../fixtures/runaway.sh", import.meta.url))
        const exec = ShellExec.make("sh", ["-c", 'sh "$1" "$2" 3000 & echo up; sleep 20', "sh", runaway, path("run")], {
          grace: "300 millis",
        })
        yield* Shell.exec(exec).pipe(
          Stream.tap(() => eventually("it runs", () => size("run") > 20)),
          Stream.take(1),
          Stream.runDrain,
        )
        const last = size("run")
        expect(last).toBeLessThan(3_000)
        yield* pause(300)
        expect(size("run")).toBe(last)
      }))
  }

  test("kills no process outside the tree", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const other = yield* Effect.forkChild(Stream.runDrain(
        Shell.exec(sh(heartbeat(path("other")))),
      ))
      yield* eventually("the other runs", () => size("other") > 2)
      const family = yield* makeFamily
      yield* family.events().pipe(Stream.take(1), Stream.runDrain)
      const before = size("other")
      yield* eventually("the other still runs", () => size("other") > before + 3)
      yield* Fiber.interrupt(other)
    }))
}
