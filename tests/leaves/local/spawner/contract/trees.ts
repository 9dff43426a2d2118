import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ChildProcess } from "effect/process"
import { fileURLToPath } from "node:url"
import { eventually } from "../../../../support/eventually.ts"
import { heartbeat } from "../../../../support/heartbeat.ts"
import { type Workshop, workshop } from "../../../../support/workshop.ts"
import { type Part, sh } from "./target.ts"

const family = fileURLToPath(new URL("../../../../fixtures/family.sh", import.meta.url))
const members = ["child", "grandchild", "stubborn", "escapee", "orphan", "bare", "rabbit", "sleeper"]

export const trees: Part = (test, { does }) => {
  if (!does.wholeTrees) return

  /** A family that is up once it has said so, and the proof of its death. */
  const makeFamily = ({ directory, size }: Workshop, options: ChildProcess.CommandOptions = {}) =>
    Effect.gen(function* () {
      const handle = yield* ChildProcess.make("sh", [family, directory, ...members], options)
      yield* Stream.runDrain(Stream.take(handle.stdout, 1))
      const sizes = () => members.map((member) => [member, size(member)] as const)
      const expectDead = Effect.gen(function* () {
        const last = sizes()
        expect(last.filter(([, count]) => count === 0)).toEqual([])
        yield* Effect.sleep("300 millis")
        expect(sizes()).toEqual(last)
      })
      return { handle, expectDead }
    })

  describe("a whole tree, including processes that left the group or ignore signals,", () => {
    test("dies by kill", () =>
      Effect.gen(function* () {
        const { expectDead, handle } = yield* makeFamily(yield* workshop)
        yield* handle.kill()
        yield* expectDead
      }))

    test("dies by force", () =>
      Effect.gen(function* () {
        const { expectDead, handle } = yield* makeFamily(yield* workshop)
        yield* handle.kill({ killSignal: "SIGHUP", forceKillAfter: "100 millis" })
        yield* expectDead
      }))

    test("dies when its scope closes", () =>
      Effect.gen(function* () {
        const room = yield* workshop
        const { expectDead } = yield* Effect.scoped(makeFamily(room))
        yield* expectDead
      }))

    test("dies without a group of its own", () =>
      Effect.gen(function* () {
        const { expectDead, handle } = yield* makeFamily(yield* workshop, { detached: false })
        yield* handle.kill()
        yield* expectDead
      }))
  })

  describe("a process left behind by one that ended by itself", () => {
    test("is killed if it ignores the signal", () =>
      Effect.gen(function* () {
        const { path, size } = yield* workshop
        const script = `(trap '' TERM; ${heartbeat(path("heartbeat"))}) & exit 0`
        yield* Effect.scoped(Effect.gen(function* () {
          const handle = yield* sh(script, { stdout: "ignore", stderr: "ignore" })
          expect(yield* handle.exitCode).toBe(0)
          yield* eventually("it runs", () => size("heartbeat") > 2)
        }))
        const last = size("heartbeat")
        yield* Effect.sleep("200 millis")
        expect(size("heartbeat")).toBe(last)
      }))

    test("stays when it is a daemon in a session of its own", () =>
      Effect.gen(function* () {
        const { path, read, size } = yield* workshop
        const loop = `echo $$ > "${path("pid")}"; ${heartbeat(path("heartbeat")).replaceAll("'", '"')}`
        yield* Effect.scoped(Effect.gen(function* () {
          const handle = yield* sh(
            `setsid sh -c '${loop}' >/dev/null 2>&1 & while [ ! -s '${path("heartbeat")}' ]; do :; done`,
          )
          expect(yield* handle.exitCode).toBe(0)
        }))
        const last = size("heartbeat")
        yield* eventually("it lives on", () => size("heartbeat") > last + 2)
        yield* Effect.sync(() => process.kill(Number(read("pid")), "SIGKILL"))
      }))
  })
}
