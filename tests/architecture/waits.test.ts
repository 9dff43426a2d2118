/** No fiber of a caller is resumed inside the start of another: see architecture/effect.md. */
import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { readFileSync } from "node:fs"
import { callbackLater, completeLater, Latch } from "../../src/base/waits.ts"
import { startsEachOnce } from "../support/startsEachOnce.ts"
import { root, sourceFiles } from "./sources.ts"

/** The sources, except one, whose code without comments matches. */
const filesWith = (code: RegExp, except: string): ReadonlyArray<string> =>
  sourceFiles.filter((file) =>
    file !== except &&
    code.test(readFileSync(new URL(file, root), "utf8").replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, ""))
  )

it("waits are ended by src/base/waits.ts alone", () => {
  const direct =
    /\bEffect\.callback\b|\bDeferred\.(?:complete|completeWith|die|done|doneUnsafe|fail|failCause|succeed|sync)\b|\bopenUnsafe\b/
  expect(filesWith(direct, "src/base/waits.ts")).toEqual([])
})

it("Effects run in the caller's context, or with their logs on stderr", () => {
  expect(filesWith(/\bEffect\.run(?:Callback|Fork|Promise|PromiseExit|Sync|SyncExit)\b/, "src/base/stderrLogs.ts"))
    .toEqual([])
})

/** Starts items 0 to 5, two at a time, where the start of item 2 ends item 0. Returns the items in the order of their starts. */
const startsWith = (wait: Effect.Effect<void>, end: () => void): Effect.Effect<ReadonlyArray<number>> =>
  Effect.suspend(() => {
    const started: Array<number> = []
    const one = (n: number) => {
      started.push(n)
      if (n === 0) return wait
      if (n === 1) return Effect.sleep("1 millis")
      return Effect.andThen(Effect.sync(() => n === 2 && end()), Effect.sleep("5 millis"))
    }
    return Effect.as(Effect.forEach([0, 1, 2, 3, 4, 5], one, { concurrency: 2, discard: true }), started)
  })

it.live("a wait that is ended in a later turn lets Effect.forEach start each item once", () =>
  Effect.gen(function* () {
    let go = (): void => {}
    const wait = callbackLater<void>((resume) => void (go = () => resume(Effect.void)))
    expect(yield* startsWith(wait, () => go())).toEqual([0, 1, 2, 3, 4, 5])
    const deferred = Deferred.makeUnsafe<void>()
    expect(yield* startsWith(Deferred.await(deferred), () => completeLater(deferred, Effect.void)))
      .toEqual([0, 1, 2, 3, 4, 5])
    const latch = new Latch()
    expect(yield* startsWith(latch.await, () => latch.open())).toEqual([0, 1, 2, 3, 4, 5])
  }))

it.live("a latch resumes its waiters when it opens, and none that wait after it closes", () =>
  Effect.gen(function* () {
    const latch = new Latch()
    const passed: Array<string> = []
    const wait = (name: string) => Effect.andThen(latch.await, Effect.sync(() => passed.push(name)))
    const given = yield* Effect.forkChild(wait("given up"))
    yield* Effect.forkChild(wait("early"))
    yield* Effect.yieldNow
    yield* Fiber.interrupt(given)
    latch.open()
    latch.close()
    const late = yield* Effect.forkChild(wait("late"))
    yield* Effect.sleep("1 millis")
    expect(passed).toEqual(["early"])
    latch.open()
    yield* Fiber.join(late)
    yield* wait("open")
    expect(passed).toEqual(["early", "late", "open"])
  }))

// When this fails, Effect has mended its loop, and src/base/waits.ts can go.
it.live("Effect 4.1 starts an item twice where the start of one ends another", () =>
  Effect.gen(function* () {
    let go = (): void => {}
    const wait = Effect.callback<void>((resume) => void (go = () => resume(Effect.void)))
    expect(yield* startsWith(wait, () => go())).toEqual([0, 1, 2, 2, 3, 5])
  }))

it.live("the contracts' count of starts finds a service that resumes a caller in the start of another", () =>
  Effect.gen(function* () {
    let go = (): void => {}
    const wait = Effect.callback<void>((resume) => void (go = () => resume(Effect.void)))
    const caller = (n: number) =>
      n === 0 ? wait : Effect.andThen(Effect.sync(() => n === 6 && go()), Effect.sleep("1 millis"))
    expect(Exit.isFailure(yield* Effect.exit(startsEachOnce(12, caller)))).toBe(true)
  }))
