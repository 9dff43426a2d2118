/** Tests the end of commands when the program that runs them ends. */
import { beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { bundled } from "../../support/bundled.ts"
import { eventually, pause } from "../../support/eventually.ts"
import { killProcessesWith, processesWith } from "../../support/processesWith.ts"
import { workshop } from "../../support/workshop.ts"
import { runtime } from "./rawSpawn.ts"

const family = fileURLToPath(new URL("../../fixtures/family.sh", import.meta.url))
let fixture = ""

beforeAll(async () => {
  fixture = await bundled("tests/leaves/local/endings.fixture.ts")
})

const members = ["child", "grandchild", "stubborn", "escapee", "orphan", "bare"]

interface Ended {
  readonly code: number | null
  readonly signal: string | null
}

/** Ends a process, and waits until it is gone. Deno sets `signalCode` when a signal is sent: only the event tells. */
const exitOf = (child: ChildProcess, end: () => void): Effect.Effect<Ended> =>
  Effect.callback((resume) => {
    child.once("exit", (code, signal) => resume(Effect.succeed({ code, signal })))
    end()
  })

/** Waits until the members have gone: on a busy machine what was killed takes a moment. By themselves they live on. */
const noneIsLeft = (directory: string): Effect.Effect<void> =>
  eventually("no process is left", () => processesWith(directory).length === 0)

/** Starts a program that runs a family; `end` ends it, `survivors` are the members that live on. */
const host = (how: string, options: object = {}) =>
  Effect.gen(function* () {
    const files = yield* workshop
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        killProcessesWith(files.directory)
      })
    )
    const args = [fixture, family, files.directory, how, JSON.stringify(options)]
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, runtime === "deno" ? ["run", "-A", "--no-prompt", ...args] : args, { stdio: "ignore" })
      ),
      (each) => Effect.sync(() => each.kill("SIGKILL")),
    )
    const sizes = () => members.map(files.size)
    yield* eventually("all processes run", () => sizes().every((each) => each > 2))
    return {
      files,
      child,
      end: (signal?: NodeJS.Signals) =>
        exitOf(child, () => void (signal === undefined ? files.write("go", "") : process.kill(child.pid ?? 0, signal))),
      survivors: Effect.gen(function* () {
        const before = sizes()
        yield* pause(300)
        return members.filter((_, index) => before[index] !== sizes()[index])
      }),
    }
  })

describe.runIf(process.platform === "linux")("when the program ends", () => {
  it.live.each(["process.exit", "throw", "reject"])(
    "by %s, its commands end with it",
    (how) =>
      Effect.gen(function* () {
        const { end, files, survivors } = yield* host(how)
        const { code } = yield* end()
        expect(code).toBe(how === "process.exit" ? 3 : 1)
        yield* noneIsLeft(files.directory)
        expect(yield* survivors).toEqual([])
      }),
  )

  it.live.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "by %s, its commands end with it, and it by the signal",
    (signal) =>
      Effect.gen(function* () {
        const { end, files, survivors } = yield* host("signal")
        expect(yield* end(signal)).toEqual({ code: null, signal })
        yield* noneIsLeft(files.directory)
        expect(yield* survivors).toEqual([])
      }),
  )

  it.live("by its own exit after a signal, its commands end no earlier", () =>
    Effect.gen(function* () {
      const { end, files, survivors } = yield* host("listener")
      const ended = yield* Effect.forkChild(end("SIGTERM"))
      yield* eventually("the program hears of it", () => files.size("heard") > 0)
      const before = files.size("child")
      yield* eventually("they still run", () => files.size("child") > before)
      expect(yield* Fiber.join(ended)).toEqual({ code: 7, signal: null })
      expect(files.size("heard")).toBe(1)
      expect(yield* survivors).toEqual([])
    }))

  it.live("its commands stay if configured", () =>
    Effect.gen(function* () {
      const { end, survivors } = yield* host("process.exit", { cleanup: false })
      yield* end()
      expect(yield* survivors).toEqual(members)
    }))

  it.live.each(["process.exit", "SIGTERM", "SIGKILL"] as const)(
    "by %s, a watchdog ends its commands",
    (how) =>
      Effect.gen(function* () {
        const { end, files, survivors } = yield* host(how, { cleanup: false, dieWithParent: true, grace: 300 })
        yield* end(how === "process.exit" ? undefined : how)
        yield* noneIsLeft(files.directory)
        expect(yield* survivors).toEqual([])
      }),
  )
})

describe.runIf(process.platform === "linux")("when the program is killed", () => {
  it.live("each of its commands has the grace period that it asked for", () =>
    Effect.gen(function* () {
      const options = { cleanup: false, dieWithParent: true, grace: 3_000_000, graces: [300, 60_000] }
      const { end, files } = yield* host("SIGKILL", options)
      yield* eventually("the slow command runs", () => files.size("slow") > 0)
      yield* end("SIGKILL")
      yield* noneIsLeft(files.directory)
      yield* eventually("the slow command ends by itself", () => files.size("heard") > 0)
    }))
})

describe("while nothing runs", () => {
  const events = ["exit", "SIGINT", "SIGTERM", "SIGHUP"]
  const counts = () => events.map((event) => process.listenerCount(event))

  it.live.skipIf(runtime === "deno")("nothing is listened to", () =>
    Effect.gen(function* () {
      const before = counts()
      const during: Array<ReadonlyArray<number>> = []
      yield* Shell.run(ShellExec.make("true"), { onSpawn: () => void during.push(counts()) })
      expect(during).toEqual([before.map((count) => count + 1)])
      yield* eventually("the listeners are gone", () => counts().join() === before.join())
    }).pipe(Effect.provide(LocalShell.layer)))
})
