import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { answerOnce, type AnswerOnceOptions } from "../../src/branch/answerOnce.ts"
import { draftOwnLease } from "../../src/branch/BranchEntry.ts"
import { currentHost } from "../../src/branch/HostIdentity.ts"
import { draftRequest } from "../../src/branch/BranchDefinition.ts"
import { journalRequests } from "../../src/branch/journalRequests.ts"
import { replayById } from "../../src/branch/replayById.ts"
import { makeServiceBranch, type RequestService } from "../../src/branch/ServiceBranch.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"

const Ask = Schema.TaggedStruct("Ask", { correlationId: Schema.String, text: Schema.String })
const Event = Schema.Union([
  Schema.TaggedStruct("Progress", { correlationId: Schema.String, percent: Schema.Int }),
  Schema.TaggedStruct("Answer", { correlationId: Schema.String, text: Schema.String }),
])
class AskFault extends Schema.TaggedError<AskFault>()("AskFault", {
  correlationId: Schema.String,
  message: Schema.String,
}) {}

const branch = makeServiceBranch<typeof Ask.Type, typeof Event.Type, AskFault>({
  name: "ask",
  request: { tags: ["Ask"], schema: Ask },
  event: { tags: ["Progress", "Answer"], schema: Event },
  transient: ["Progress"],
  fault: { tags: ["AskFault"], schema: AskFault },
  makeFault: ({ correlationId }, { kind, what }) => new AskFault({ correlationId, message: `${kind}: ${what}` }),
})

type Asks = RequestService<typeof Ask.Type, typeof Event.Type, AskFault>

/** Answers with the number of times that it was asked; fails for `no`. */
const counting = (asked: Array<string>): Asks => ({
  request: ({ correlationId, text }) => {
    asked.push(text)
    return text === "no" && asked.length === 1
      ? Stream.fail(new AskFault({ correlationId, message: "no" }))
      : Stream.make(
        { _tag: "Progress" as const, correlationId, percent: 50 },
        { _tag: "Answer" as const, correlationId, text: `${asked.length}` },
      )
  },
})

const ask = (service: Asks, correlationId: string, text: string) =>
  Effect.map(
    Effect.result(Stream.runCollect(service.request(Ask.make({ correlationId, text })))),
    (result) =>
      Result.isSuccess(result)
        ? result.success.map((event) => event._tag === "Answer" ? event.text : event._tag).join()
        : result.failure.message,
  )

const tagsOf = (correlationId: string) =>
  Effect.map(Journal.read({ filter: { correlationId } }), (entries) => entries.map(({ tag }) => tag))

describe("answerOnce", () => {
  const make = (options?: AnswerOnceOptions<typeof Ask.Type>) => {
    const asked: Array<string> = []
    return Effect.map(answerOnce(branch, counting(asked), options), (service) => ({ asked, service }))
  }

  it.effect("answers an id from the journal, whatever the request; shows transient events without keeping them", () =>
    Effect.gen(function* () {
      const { asked, service } = yield* make()
      expect(yield* ask(service, "a", "x")).toBe("Progress,1")
      expect(yield* ask(service, "a", "x")).toBe("1")
      expect(yield* ask(service, "b", "x")).toBe("Progress,2")
      expect(asked.length).toBe(2)
      expect(yield* tagsOf("a")).toEqual(["Ask", "LeaseTaken", "Answer"])
    }).pipe(Effect.provide(MemoryJournal.layer)))

  it.effect("accepts a fault as an answer, or retries", () =>
    Effect.gen(function* () {
      const once = yield* make()
      expect(yield* ask(once.service, "a", "no")).toBe("no")
      expect(yield* ask(once.service, "a", "no")).toBe("no")
      const again = yield* make({ retriesFaults: true })
      expect(yield* ask(again.service, "b", "no")).toBe("no")
      expect(yield* ask(again.service, "b", "no")).toBe("Progress,2")
      // The answer counts, not the fault before it.
      expect(yield* ask(again.service, "b", "no")).toBe("2")
      expect([once.asked.length, again.asked.length]).toEqual([1, 2])
    }).pipe(Effect.provide(MemoryJournal.layer)))

  it.effect("refuses a request that a living process makes, also after a lease that cannot be read", () =>
    Effect.gen(function* () {
      const { asked, service } = yield* make({ canRerun: () => true })
      const request = Ask.make({ correlationId: "own", text: "write" })
      yield* Journal.append([draftRequest(branch, request), draftOwnLease(branch, request, yield* currentHost)])
      yield* Journal.append([{ branch: "ask", correlationId: "own", body: { _tag: "LeaseTaken", attempt: "x" } }])
      expect(yield* ask(service, "own", "write")).toContain("AlreadyOpen")
      expect(asked).toEqual([])
    }).pipe(Effect.provide(MemoryJournal.layer)))

  it.effect("ends a request that was begun and lost, once, unless it may run again", () =>
    Effect.gen(function* () {
      const { asked, service } = yield* make({ canRerun: ({ text }) => text === "read" })
      yield* Journal.append([draftRequest(branch, Ask.make({ correlationId: "lost", text: "write" }))])
      yield* Journal.append([draftRequest(branch, Ask.make({ correlationId: "again", text: "read" }))])
      const lost = "HostLost: it was started before, and its outcome is unknown; " +
        "check the current state before you repeat it"
      const both = yield* Effect.all([ask(service, "lost", "write"), ask(service, "lost", "write")], {
        concurrency: "unbounded",
      })
      expect(both).toEqual([lost, lost])
      expect(yield* tagsOf("lost")).toEqual(["Ask", "AskFault"])
      expect(yield* ask(service, "again", "read")).toBe("Progress,1")
      expect(asked).toEqual(["read"])
    }).pipe(Effect.provide(MemoryJournal.layer)))
})

describe("replayById", () => {
  it.effect("answers an id as it was answered last, and acts on nothing", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const recorded = yield* journalRequests(branch, counting(asked))
      yield* ask(recorded, "a/1", "no")
      yield* ask(recorded, "a/1", "no")
      yield* ask(recorded, "a/2", "x")
      const { position } = yield* Journal.head
      const replayed = yield* replayById(branch, { recordedId: (id) => id.replace("other", "a") })
      expect(yield* ask(replayed, "other/2", "x")).toBe("3")
      expect(yield* ask(replayed, "a/1", "no")).toBe("2")
      expect(yield* ask(replayed, "a/2", "y")).toBe(
        "Broken: the recording has another request as a/2: it differs in text",
      )
      expect(yield* ask(replayed, "a/3", "x")).toBe("Broken: the recording has no answer to a/3")
      const lenient = yield* replayById(branch, { isStrict: false })
      expect(yield* ask(lenient, "a/2", "y")).toBe("3")
      expect([(yield* Journal.head).position, asked.length]).toEqual([position, 3])
    }).pipe(Effect.provide(MemoryJournal.layer)))
})
