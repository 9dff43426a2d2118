/**
 * Tests every branch with a service of one function: its entries, and the daemon, the client, the journaling, `once`
 * and the replay that follow from its declaration. A new branch calls it with samples of its messages.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Scope } from "effect/Scope"
import { answerOnce } from "../../src/branch/answerOnce.ts"
import { decodeEventEntry, decodeRequestEntry, draftEvent, draftRequest } from "../../src/branch/BranchDefinition.ts"
import { branchEntryTags } from "../../src/branch/BranchEntry.ts"
import { journalRequests } from "../../src/branch/journalRequests.ts"
import {
  type Message,
  type RequestContent,
  requestDaemon,
  type RequestFailure,
  type RequestService,
  serveRequests,
  type ServiceBranch,
} from "../../src/branch/mod.ts"
import { replayById } from "../../src/branch/replayById.ts"
import { replayRequests } from "../../src/branch/replayRequests.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"

/** A request, and an answer to it. Ids are given by the suite. */
export interface Sample<Request, Event> {
  readonly request: Request
  readonly events: ReadonlyArray<Event>
  /** The bytes beside it. */
  readonly content?: Uint8Array | undefined
}

const failures: ReadonlyArray<RequestFailure["kind"]> = [
  "AlreadyOpen",
  "Broken",
  "Cancelled",
  "HostLost",
  "JournalFailed",
  "NotTaken",
]

type Test<A> = Effect.Effect<A, unknown, Journal | Scope>

export const serviceBranchContract = <Request extends Message, Event extends Message, Fault extends Message>(
  name: string,
  branch: ServiceBranch<Request, Event, Fault>,
  samples: ReadonlyArray<Sample<Request, Event>>,
): void => {
  type Service = RequestService<Request, Event, Fault>
  const withId = <M extends Message>(message: M, correlationId: string): M => ({ ...message, correlationId })
  const faultOf = (request: Request, what: string): Fault => branch.makeFault(request, { kind: "Broken", what })

  const test = (title: string, effect: () => Test<unknown>) =>
    it(title, () => Effect.runPromise(Effect.provide(Effect.scoped(Effect.suspend(effect)), MemoryJournal.layer)))

  /** A leaf that answers with the samples; it reads the content, and counts. */
  const leaf = (calls: Array<string> = [], contents = new Map<string, number>()): Service => ({
    request: (request, { content = Stream.empty } = {}) =>
      Stream.unwrap(
        Effect.map(Effect.orDie(Stream.runCollect(content)), (parts) => {
          const { correlationId } = request
          calls.push(correlationId)
          contents.set(correlationId, parts.reduce((sum, { length }) => sum + length, 0))
          const sample = samples[Number(correlationId.split("-")[1])]
          return sample === undefined
            ? Stream.fail(faultOf(request, "the leaf has failed"))
            : Stream.fromIterable(sample.events.map((event) => withId(event, correlationId)))
        }),
      ),
  })

  const ask = (service: Service, index: number, id = `r-${index}`) => {
    const sample = samples[index] ?? samples[0]
    if (sample === undefined) throw new Error("no samples")
    const content = sample.content
    const beside: RequestContent = content === undefined ? {} : { content: Stream.make(content) }
    return Stream.runCollect(service.request(withId(sample.request, id), beside))
  }
  const expected = (index: number) => samples[index]?.events.map((event) => withId(event, `r-${index}`))

  const behindDaemon = (service: Service) =>
    Effect.gen(function* () {
      const daemon = yield* serveRequests(branch, service, { maxConcurrency: 16 })
      yield* daemon.start
      return yield* requestDaemon(branch, { acceptTimeout: "1 minute" })
    })
  const ways = {
    "journaled": (service: Service) => journalRequests(branch, service),
    "behind a daemon": behindDaemon,
    "once": (service: Service) => answerOnce(branch, service),
  }

  const endsOf = (id: string) =>
    Effect.map(
      Journal.read({ filter: { branch: branch.name, correlationId: id, tags: branch.lastTags } }),
      (entries) => entries.map(({ tag }) => tag),
    )

  describe(`${name}: the contract of branches`, () => {
    it("has samples of each kind of request and event, and unique tags", () => {
      expect(new Set(samples.map(({ request }) => request._tag))).toEqual(new Set(branch.request.tags))
      const events = samples.flatMap(({ events }) => events.map(({ _tag }) => _tag))
      const shown = branch.event.tags.filter((tag) => tag !== "StreamEnd" && !branch.faultTags.includes(tag))
      expect(new Set(events)).toEqual(new Set(shown))
      const tags = [...branch.request.tags, ...branch.event.tags, ...branchEntryTags]
      expect(tags.length).toBe(new Set(tags).size)
    })

    it("decodes its own encoding", () => {
      const entryOf = ({ body, branch, correlationId, version = 1 }: ReturnType<typeof draftRequest>) => ({
        position: 1,
        time: 0,
        hash: "",
        branch,
        correlationId,
        version,
        tag: body._tag,
        body: JSON.parse(JSON.stringify(body)),
      })
      for (const { events, request } of samples) {
        expect(decodeRequestEntry(branch, entryOf(draftRequest(branch, request)))).toEqual(Result.succeed(request))
        for (const event of [...events, ...failures.map((kind) => branch.makeFault(request, { kind, what: "why" }))]) {
          expect(decodeEventEntry(branch, entryOf(draftEvent(branch, event)))).toEqual(Result.succeed(event))
        }
      }
    })

    it("maps every failure to a fault with the id of the request and the cause", () => {
      for (const { request } of samples) {
        for (const kind of failures) {
          const fault = branch.makeFault(withId(request, "other"), { kind, what: "the reason" })
          expect(branch.isFault(fault) && branch.isLast(fault)).toBe(true)
          expect([fault.correlationId, JSON.stringify(fault)]).toEqual(["other", expect.stringContaining("the reason")])
        }
      }
    })

    for (const [way, through] of Object.entries(ways)) {
      test(`${way}: gives each answer as the service does, and one end in the journal`, () =>
        Effect.gen(function* () {
          const contents = new Map<string, number>()
          const service = yield* through(leaf([], contents))
          for (const index of samples.keys()) {
            const shown = yield* ask(service, index)
            const isTransient = way === "behind a daemon" ? branch.isTransient : () => false
            expect(shown).toEqual(expected(index)?.filter((event) => !isTransient(event)))
            expect(contents.get(`r-${index}`)).toBe(samples[index]?.content?.length ?? 0)
            expect((yield* endsOf(`r-${index}`)).length).toBe(1)
          }
        }))

      test(`${way}: gives the fault of the service`, () =>
        Effect.gen(function* () {
          const service = yield* through(leaf())
          const fault = yield* Effect.flip(ask(service, samples.length))
          expect(fault).toMatchObject({ correlationId: `r-${samples.length}` })
          expect(JSON.stringify(fault)).toContain("the leaf has failed")
          expect(yield* endsOf(`r-${samples.length}`)).toEqual(branch.faultTags)
        }))

      test(`${way}: fails if the service has no answer or breaks, and shows no stack`, () =>
        Effect.gen(function* () {
          const broken: Service = {
            request: ({ correlationId }) => correlationId === "r-0" ? Stream.empty : Stream.die(new Error("hunter2")),
          }
          const service = yield* through(broken)
          const fault = yield* Effect.flip(ask(service, 0))
          expect(JSON.stringify(fault)).toContain("its service ended without an answer")
          expect(yield* endsOf("r-0")).toEqual(branch.faultTags)
          yield* Effect.exit(ask(service, 1, "r-1"))
          expect(yield* endsOf("r-1")).toEqual(branch.faultTags)
          expect(JSON.stringify((yield* Journal.read()).map(({ body }) => body))).not.toContain("hunter2")
        }))

      test(`${way}: a request that is closed before its end has ended`, () =>
        Effect.gen(function* () {
          const service = yield* through({ request: () => Stream.never })
          const { position } = yield* Journal.head
          const running = yield* Effect.forkChild(ask(service, 0))
          const journal = yield* Journal
          yield* journal.waitFor({ after: position, filter: { correlationId: "r-0", tags: ["LeaseTaken"] } })
          yield* Fiber.interrupt(running)
          expect(yield* endsOf("r-0")).toEqual(branch.faultTags)
        }))
    }

    test("replays each answer, by content and by id, without effects", () =>
      Effect.gen(function* () {
        const calls: Array<string> = []
        const service = yield* journalRequests(branch, leaf(calls))
        for (const index of samples.keys()) yield* ask(service, index)
        const { position } = yield* Journal.head
        const again = yield* replayRequests(branch)
        const byId = yield* replayById(branch)
        for (const index of samples.keys()) {
          const kept = expected(index)?.filter((event) => !branch.isTransient(event))
          expect(yield* ask(again, index, `r-${index}`)).toEqual(kept)
          expect(yield* ask(byId, index)).toEqual(kept)
        }
        expect([(yield* Journal.head).position, calls.length]).toEqual([position, samples.length])
      }))
  })
}
