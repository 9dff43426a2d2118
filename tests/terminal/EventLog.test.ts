import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ShellOutputChunk } from "../../src/command/ShellEvent.ts"
import { EventLog } from "../../src/terminal/EventLog.ts"

const chunk = (seq: number, content = "x"): ShellOutputChunk => ({
  _tag: "ShellOutputChunk",
  commandId: "c",
  stream: "stdout",
  content,
  timestamp: 0,
  seq,
})

it.effect("keeps the newest events, however short they are, within a number", () =>
  Effect.gen(function* () {
    const log = new EventLog(1_000_000)
    for (let seq = 0; seq < 40_000; seq++) yield* log.add(chunk(seq))
    expect(log.end).toBe(40_000)
    expect(log.end - log.first).toBe(16_384)
    expect(log.oldest).toEqual(chunk(log.first))
  }))

it.effect("drops nothing that a reader with back-pressure has not read, for a long chunk after short ones", () =>
  Effect.gen(function* () {
    const log = new EventLog(10)
    for (let seq = 0; seq < 10; seq++) yield* log.add(chunk(seq))
    const reader = { next: 1 }
    log.hold(reader)
    const adding = yield* Effect.forkChild(log.add(chunk(10, "xxxxx")), { startImmediately: true })
    expect(log.first).toBe(1)
    expect(log.end).toBe(10)
    reader.next = 5
    log.notify()
    yield* Fiber.join(adding)
    expect(log.from(5)).toHaveLength(6)
  }))

it.effect("a new size does not wait for a reader, which may have set it", () =>
  Effect.gen(function* () {
    const log = new EventLog(10)
    for (let seq = 0; seq < 10; seq++) yield* log.add(chunk(seq))
    log.hold({ next: 0 })
    yield* log.add({ _tag: "TerminalResized", commandId: "c", cols: 80, rows: 24, timestamp: 0 })
    expect(log.from(0)).toHaveLength(11)
  }))
