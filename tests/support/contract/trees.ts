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

const everybody = ["child", "grandchild", "stubborn", "escapee", "orphan", "bare", "rabbit", "sleeper"]

export const trees: Part = (test, { can }) => {
  const members = everybody.filter((member) => can.escapees || !["escapee", "orphan", "bare"].includes(member))

  /** A family that is up once `ready` has been said, and the proof of its death: no heart beats any more. */
  const makeFamily = Effect.map(workshop, ({ directory, size }) => {
    const beats = () => members.map((member) => [member, size(member)] as const)
    return {
      allBeat: () => beats().every(([, count]) => count > 2),
      exec: (options: ShellExecOptions = {}) =>
        ShellExec.make("sh", [family, directory, ...members], { grace: "300 millis", ...options }),
      events(options?: ShellExecOptions, run?: LeafRunOptions) {
        return Shell.exec(this.exec(options), run)
      },
      expectDead: Effect.gen(function* () {
        const last = beats()
        expect(last.filter(([, count]) => count === 0)).toEqual([])
        yield* pause(300)
        expect(beats()).toEqual(last)
      }),
    }
  })

  test("dies whole when enough was taken of its stream", () =>
    Effect.gen(function* () {
      const family = yield* makeFamily
      const taken = yield* family.events().pipe(Stream.take(1), Stream.runCollect)
      expect(taken).toMatchObject([{ content: "ready\n" }])
      yield* family.expectDead
    }))

  test("dies whole when it is interrupted", () =>
    Effect.gen(function* () {
      const family = yield* makeFamily
      const running = yield* Effect.forkChild(Stream.runDrain(family.events({ streamOutput: false })))
      yield* eventually("all hearts beat", family.allBeat)
      yield* Fiber.interrupt(running)
      yield* family.expectDead
    }))

  test("dies whole when its signal is aborted, before the fault comes", () =>
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

  test("dies whole when somebody downstream fails", () =>
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

  test("dies whole when the first process goes at once and leaves those who do not", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const heart = `trap "" TERM; i=0; while [ $i -lt 1000 ]; do printf . >> '${
        path("heart")
      }'; sleep 0.02; i=$((i + 1)); done`
      const controller = new AbortController()
      const quoted = heart.replaceAll("'", `'"'"'`)
      // Its output ends with the first process: nothing but the process table tells that somebody is left.
      const exec = sh(`sh -c '${quoted}' >/dev/null 2>&1 & echo up; sleep 20`, { grace: "400 millis" })
      const fault = yield* Shell.exec(exec, { signal: controller.signal }).pipe(
        Stream.tap(() =>
          Effect.andThen(eventually("it beats", () => size("heart") > 2), Effect.sync(() => controller.abort()))
        ),
        Stream.runDrain,
        Effect.flip,
      )
      expect(fault).toMatchObject({ reason: { _tag: "Cancelled" } })
      const last = size("heart")
      yield* pause(200)
      expect(size("heart")).toBe(last)
    }))

  test("dies whole also when the first process had gone before, if its stream is closed before its end", () =>
    Effect.gen(function* () {
      // Where its output is taken without its reader, it has ended by then, and is to be left alone.
      if (!can.escapees || !can.backPressure) return
      const { path, size } = yield* workshop
      const heart = `i=0; while [ $i -lt 1000 ]; do printf . >> '${path("heart")}'; sleep 0.02; i=$((i + 1)); done`
      const exec = sh(`(${heart}) & echo up; exit 0`)
      const taken = yield* Shell.exec(exec).pipe(
        Stream.tap(() => eventually("it beats on", () => size("heart") > 8)),
        Stream.take(1),
        Stream.runCollect,
      )
      expect(taken.length).toBe(1)
      const last = size("heart")
      yield* pause(200)
      expect(size("heart")).toBe(last)
    }))

  if (can.runaways) {
    test("dies whole even when every generation of it starts the next and is gone", () =>
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

  test("kills nobody else", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const other = yield* Effect.forkChild(Stream.runDrain(
        Shell.exec(sh(heartbeat(path("other")))),
      ))
      yield* eventually("the other beats", () => size("other") > 2)
      const family = yield* makeFamily
      yield* family.events().pipe(Stream.take(1), Stream.runDrain)
      const before = size("other")
      yield* eventually("the other beats on", () => size("other") > before + 3)
      yield* Fiber.interrupt(other)
    }))
}
