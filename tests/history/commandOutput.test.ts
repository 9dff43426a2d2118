import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Audit } from "../../src/history/mod.ts"
import type { EntriesOptions } from "../../src/history/commandOutput.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { ask, deadHost, exit, onJournal, ran, take, write } from "./support.ts"

const pieces = (id: string, options?: EntriesOptions) =>
  Effect.flatMap(Audit.find(id), (record) => Stream.runCollect(Audit.output(record, options)))
const texts = (id: string, options?: EntriesOptions) =>
  Effect.map(
    pieces(id, options),
    (all) => all.map(({ bytes, stream }) => `${stream} ${new TextDecoder().decode(bytes)}`),
  )
const tags = (id: string, options?: EntriesOptions) =>
  Effect.flatMap(
    Audit.find(id),
    (record) => Stream.runCollect(Stream.map(Audit.entries(record, options), ({ tag }) => tag)),
  )

it.effect("gives the very bytes, each with its stream and its time", () =>
  Effect.gen(function* () {
    yield* ask("c1")
    yield* take("c1")
    yield* write("c1", { text: "é\n", at: 5 }, { stream: "stderr", bytes: [0xff, 0x00, 0xc3], at: 7 })
    yield* write("c1", { bytes: [0xa9], at: 9 })
    yield* exit("c1")
    expect(yield* pieces("c1")).toEqual([
      { stream: "stdout", timestamp: 5, text: "é\n", bytes: Uint8Array.of(0xc3, 0xa9, 0x0a) },
      { stream: "stderr", timestamp: 7, text: undefined, bytes: Uint8Array.of(0xff, 0x00, 0xc3) },
      { stream: "stdout", timestamp: 9, text: undefined, bytes: Uint8Array.of(0xa9) },
    ])
  }).pipe(onJournal))

it.effect("gives no more than a page of entries at a time, and all of them", () =>
  Effect.gen(function* () {
    yield* ask("c1")
    yield* take("c1")
    for (let n = 0; n < 100; n++) yield* write("c1", { text: `${n}\n` })
    yield* exit("c1")
    const journal = yield* Journal
    let most = 0
    const counting = {
      ...journal,
      read: (options?: Parameters<typeof journal.read>[0]) =>
        Effect.tap(journal.read(options), (entries) =>
          Effect.sync(() => {
            most = Math.max(most, entries.length)
          })),
    }
    const all = yield* Effect.provideService(pieces("c1"), Journal, counting)
    expect(all.map(({ text }) => text).join("")).toBe(Array.from({ length: 100 }, (_, n) => `${n}\n`).join(""))
    expect(most).toBeLessThan(50)
  }).pipe(onJournal))

it.effect("returns the output so far of a running command, and none of a waiting one", () =>
  Effect.gen(function* () {
    yield* ask("waits")
    yield* ask("runs")
    yield* take("runs")
    yield* write("runs", { text: "so far\n" })
    expect(yield* texts("waits")).toEqual([])
    expect(yield* texts("runs")).toEqual(["stdout so far\n"])
    expect(yield* tags("waits")).toEqual(["ShellExec"])
  }).pipe(onJournal))

it.effect("returns the output of the last attempt, or of the selected one, never of two", () =>
  Effect.gen(function* () {
    yield* ask("c1", ["true"], { onHostLoss: "rerun" })
    yield* take("c1", { host: yield* deadHost })
    yield* write("c1", { text: "lost\n" })
    yield* take("c1", { attempt: 2 })
    yield* write("c1", { text: "whole\n" })
    yield* exit("c1")
    expect(yield* texts("c1")).toEqual(["stdout whole\n"])
    expect(yield* texts("c1", { attempt: 1 })).toEqual(["stdout lost\n"])
    expect(yield* texts("c1", { attempt: 3 })).toEqual([])
    expect(yield* tags("c1")).toEqual([
      "ShellExec",
      "LeaseTaken",
      "ShellOutputChunks",
      "LeaseTaken",
      "ShellOutputChunks",
      "ShellOutput",
    ])
  }).pipe(onJournal))

it.effect("ends where the same id was used again", () =>
  Effect.gen(function* () {
    yield* ask("c1")
    yield* take("c1")
    yield* write("c1", { text: "first\n" })
    const first = yield* Audit.find("c1")
    yield* ran("c1")
    yield* write("c1", { text: "late\n" })
    // It was looked at while it ran: what came after is another's.
    const all = yield* Stream.runCollect(Audit.output(first))
    expect(all.map(({ text }) => text)).toEqual(["first\n"])
    expect(yield* texts("c1")).toEqual([])
  }).pipe(onJournal))

it.effect("leaves out pruned output, and fails for unreadable entries", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    yield* ask("pruned")
    yield* take("pruned")
    yield* write("pruned", { text: "secret\n" })
    yield* exit("pruned")
    yield* journal.prune({ correlationIds: ["pruned"] })
    expect(yield* texts("pruned")).toEqual([])
    expect(yield* tags("pruned")).toHaveLength(4)

    yield* ask("odd")
    yield* take("odd")
    const chunks = [{ base64: "?", seq: 0, stream: "stdout", timestamp: 0 }]
    const body = { _tag: "ShellOutputChunks", chunks, commandId: "odd", fromSeq: 0, toSeq: 0 }
    const [position] = yield* Journal.append([{ branch: "compute", correlationId: "odd", body }])
    expect(yield* Effect.flip(pieces("odd"))).toMatchObject({ reason: { _tag: "Corrupt", position } })
  }).pipe(onJournal))
