import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Files, MockFileSystem } from "../../../src/leaves/files/mod.ts"
import { filesContract } from "../../support/filesContract.ts"

filesContract("MockFileSystem", () => MockFileSystem.layer)

describe("MockFileSystem", () => {
  it("fails by its rules, as often as they say, and records all requests", async () => {
    const program = Effect.gen(function* () {
      expect(yield* Effect.flip(Files.readText("/src/a.ts"))).toMatchObject({ faultKind: "AccessDenied" })
      expect(yield* Files.readText("src/a.ts")).toBe("a")
      expect(yield* Files.readText("b")).toBe("b")
      yield* MockFileSystem.verify
      return (yield* MockFileSystem.requests).map(({ path }) => path)
    })
    const files = MockFileSystem.layerWith({
      files: { "src/a.ts": "a", b: "b" },
      rules: [{ request: "FileRead", path: "src/*.ts", fault: "AccessDenied", times: 1, expected: true }],
    })
    expect(await Effect.runPromise(Effect.provide(program, files))).toEqual(["/src/a.ts", "src/a.ts", "b"])
  })

  it("names expected requests that were not made", async () => {
    const files = MockFileSystem.layerWith({ rules: [{ request: "FileDelete", path: "x", times: 2, expected: true }] })
    const error = await Effect.runPromise(Effect.provide(Effect.flip(MockFileSystem.verify), files))
    expect(error.message).toBe("FileDelete of x was expected 2 times, and was requested 0 times")
  })

  it.effect("delays by the program's clock", () =>
    Effect.gen(function* () {
      const reading = yield* Effect.forkChild(Files.readText("a"))
      yield* TestClock.adjust("9 seconds")
      expect(reading.pollUnsafe()).toBe(undefined)
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(reading)).toBe("x")
    }).pipe(
      Effect.provide(MockFileSystem.layerWith({ files: { a: "x" }, rules: [{ path: "a", delay: "10 seconds" }] })),
    ))
})
