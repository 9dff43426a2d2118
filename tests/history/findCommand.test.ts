import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Audit } from "../../src/history/mod.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { ask, onJournal, ran } from "./support.ts"

const refusal = (start: string) => Effect.flip(Audit.find(start))

it.effect("finds a command by its id, and by the beginning of it", () =>
  Effect.gen(function* () {
    yield* ran("abc-1", ["echo", "one"])
    yield* ran("abd-2", ["echo", "two"])
    expect((yield* Audit.find("abd-2")).line).toBe("echo two")
    expect((yield* Audit.find("abd")).line).toBe("echo two")
    expect((yield* Audit.find("abc-")).line).toBe("echo one")
  }).pipe(onJournal))

it.effect("takes an exact id even if longer ones begin with it", () =>
  Effect.gen(function* () {
    yield* ran("build-1", ["echo", "one"])
    yield* ran("build-12", ["echo", "twelve"])
    expect((yield* Audit.find("build-1")).line).toBe("echo one")
  }).pipe(onJournal))

it.effect("returns the newest of several commands with one id", () =>
  Effect.gen(function* () {
    yield* ran("c1", ["echo", "old"])
    yield* ran("c1", ["echo", "new"])
    expect((yield* Audit.find("c1")).line).toBe("echo new")
    expect((yield* Audit.find("c")).line).toBe("echo new")
  }).pipe(onJournal))

it.effect("reports an unknown id", () =>
  Effect.gen(function* () {
    yield* ran("c1")
    expect(yield* refusal("d")).toMatchObject({
      _tag: "LookupError",
      candidates: [],
      message: `no command in this journal has an id that begins with "d"`,
    })
    // What an entry is called that is no request is no id of a command.
    yield* Journal.append([{ branch: "notes", correlationId: "d1", body: { _tag: "Noted" } }])
    expect(yield* refusal("d1")).toMatchObject({ candidates: [] })
  }).pipe(onJournal))

it.effect("names the newest that an ambiguous beginning may mean", () =>
  Effect.gen(function* () {
    for (let n = 1; n <= 9; n++) yield* ask(`c${n}`)
    expect(yield* refusal("c")).toMatchObject({
      candidates: ["c9", "c8", "c7", "c6", "c5"],
      message: `several commands have an id that begins with "c": c9, c8, c7, c6, c5`,
    })
    expect(yield* refusal("")).toMatchObject({ candidates: ["c9", "c8", "c7", "c6", "c5"] })
  }).pipe(onJournal))

it.effect("reads every request before it treats a prefix as unique", () =>
  Effect.gen(function* () {
    yield* ask("x-old")
    for (let n = 1; n <= 150; n++) yield* ask(`c${n}`)
    yield* ask("x-new")
    expect(yield* refusal("x")).toMatchObject({ candidates: ["x-new", "x-old"] })
    expect((yield* Audit.find("x-o")).commandId).toBe("x-old")
  }).pipe(onJournal))

it.effect("finds the request that a command was made for by the prefix of its id", () =>
  Effect.gen(function* () {
    yield* Journal.append([
      { branch: "agent-run", correlationId: "run", body: { _tag: "AgentRun", task: `find ${"x".repeat(300)}` } },
    ])
    yield* ran("run/1/1", ["echo", "one"])
    yield* ran("team/build", ["echo", "two"])
    const about = `find ${"x".repeat(195)}…`
    expect((yield* Audit.find("run/1/1")).root).toEqual({ correlationId: "run", tag: "AgentRun", about })
    // The journal has no request of this id.
    expect((yield* Audit.find("team/build")).root).toBeUndefined()
  }).pipe(onJournal))
