import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Scope } from "effect/Scope"
import {
  AgentToolCall,
  AgentToolCallProgress,
  AgentToolCallResult,
  ModelBranch,
  ModelDelta,
  ModelRequest,
  ModelResponse,
  ToolCallBranch,
} from "../../src/agent/mod.ts"
import { encodeUtf8 } from "../../src/base/bytes.ts"
import { DatabaseBranch, DatabaseExecute, DatabaseQuery, DatabaseTransaction } from "../../src/database/mod.ts"
import { HttpBranch, HttpFetch, HttpResponse } from "../../src/fetch/mod.ts"
import { GitBranch, GitBranches, GitCommit, GitCommitFiles, GitCreateBranch, GitDiff } from "../../src/git/mod.ts"
import { GitFiles, GitLog, GitOpenPullRequest, GitRead, GitStatus, GitSwitch } from "../../src/git/mod.ts"
import { FileDelete, FileList, FileRead, FileStat, FileSystemBranch, FileWrite } from "../../src/leaves/files/mod.ts"
import {
  ApprovalAnswer,
  ApprovalBranch,
  ApprovalRequest,
  SpellcastingBranch,
  SpellInvocation,
  SpellResult,
} from "../../src/spell/mod.ts"
import { answerOnce } from "../../src/branch/answerOnce.ts"
import { draftEvent, draftRequest } from "../../src/branch/BranchDefinition.ts"
import { draftBranchEntry } from "../../src/branch/BranchEntry.ts"
import { currentHost } from "../../src/branch/HostIdentity.ts"
import { makeSchemaCodec } from "../../src/branch/makeSchemaCodec.ts"
import {
  journalRequests,
  makeServiceBranch,
  replayRequests,
  requestDaemon,
  requestOne,
  type RequestService,
  serveRequests,
  type ServiceBranchOptions,
  type StreamEnd,
} from "../../src/branch/mod.ts"
import { replayById } from "../../src/branch/replayById.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import { elsewhere } from "./counting.ts"
import { flaky } from "./flakyJournal.ts"
import { SecretGet, SecretList, SecretsBranch } from "../../src/secrets/mod.ts"
import { serviceBranchContract } from "../support/serviceBranchContract.ts"

/** A branch with all that one may have: pieces, transient events, content, and requests that may run again. */
const Ask = Schema.TaggedStruct("Ask", { correlationId: Schema.String, text: Schema.String })
const Piece = Schema.TaggedStruct("Piece", { correlationId: Schema.String, n: Schema.Int })
const Whole = Schema.TaggedStruct("Whole", { correlationId: Schema.String, n: Schema.Int })
const Hint = Schema.TaggedStruct("Hint", { correlationId: Schema.String })
const Bytes = Schema.TaggedStruct("Bytes", {
  correlationId: Schema.String,
  offset: Schema.Int,
  data: Schema.Uint8ArrayFromBase64,
  isFinal: Schema.Boolean,
})
class AskFault extends Schema.TaggedError<AskFault>()("AskFault", {
  correlationId: Schema.String,
  message: Schema.String,
}) {}
type Asked = typeof Ask.Type
type Told = typeof Piece.Type | typeof Whole.Type | typeof Hint.Type
const bytes = makeSchemaCodec({ tags: ["Bytes"], schema: Bytes })
const asking: ServiceBranchOptions<Asked, Told, AskFault> = {
  name: "ask",
  request: { tags: ["Ask"], schema: Ask },
  event: { tags: ["Piece", "Whole", "Hint"], schema: Schema.Union([Piece, Whole, Hint]) },
  fault: { tags: ["AskFault"], schema: AskFault },
  pieces: ["Piece"],
  transient: ["Hint"],
  makeFault: ({ correlationId }, { kind, what }) => new AskFault({ correlationId, message: `${kind}: ${what}` }),
  canRerun: ({ text }) => text.startsWith("read"),
  content: {
    tag: "Bytes",
    hasContent: ({ text }) => text.startsWith("put"),
    encode: ({ correlationId }, offset, data, isFinal) =>
      bytes.encode(Bytes.make({ correlationId, offset, data, isFinal })),
    decode: (body) => bytes.decode(body, 1),
  },
}
const AskBranch = makeServiceBranch(asking)
type Asking = RequestService<Asked, Told, AskFault>

const ask = (service: Asking, correlationId: string, text: string, content?: Uint8Array) =>
  Effect.map(
    Effect.result(
      Stream.runCollect(
        service.request(
          Ask.make({ correlationId, text }),
          content === undefined ? {} : { content: Stream.make(content) },
        ),
      ),
    ),
    (result) =>
      Result.isSuccess(result)
        ? result.success.map((event) => "n" in event ? event.n : event._tag).join()
        : result.failure.message,
  )

const told = (text: string, ...events: ReadonlyArray<Told>) => ({
  request: Ask.make({ correlationId: "x", text }),
  events,
})
const pieceOf = (n: number, correlationId = "x") => Piece.make({ correlationId, n })
const wholeOf = (n: number, correlationId = "x") => Whole.make({ correlationId, n })

serviceBranchContract("a branch of all", AskBranch, [
  told("one", wholeOf(1)),
  told("read", pieceOf(1), pieceOf(2)),
  told("hint", Hint.make({ correlationId: "x" }), wholeOf(3)),
  { ...told("put", wholeOf(1)), content: new Uint8Array(200_000) },
])

const inJournal = (title: string, test: Effect.Effect<void, unknown, Journal | Scope>) =>
  it(title, () => Effect.runPromise(Effect.provide(Effect.scoped(test), MemoryJournal.layer)))

const append = (...events: ReadonlyArray<Told | StreamEnd | AskFault>) =>
  Journal.append(events.map((event) => draftEvent(AskBranch, event)))
const request = (correlationId: string, text: string) =>
  Journal.append([draftRequest(AskBranch, Ask.make({ correlationId, text }))])
const lease = (correlationId: string, attempt: number, host = elsewhere, leaseMillis: number | null = null) =>
  Journal.append([
    draftBranchEntry(AskBranch, correlationId, {
      _tag: "LeaseTaken",
      daemonId: `d${attempt}`,
      host,
      attempt,
      leaseMillis,
    }),
  ])

const counter = (): Asking & { count: number } => {
  const service = {
    count: 0,
    request: ({ correlationId }: Asked) => Stream.suspend(() => Stream.make(wholeOf(++service.count, correlationId))),
  }
  return service
}

inJournal(
  "a replay gives only the last run of a request that was run again, and another answer for each use of an id",
  Effect.gen(function* () {
    yield* request("r", "read")
    yield* lease("r", 1)
    yield* append(pieceOf(1, "r"), pieceOf(2, "r"))
    yield* lease("r", 2)
    yield* append(pieceOf(1, "r"), pieceOf(2, "r"), { _tag: "StreamEnd", correlationId: "r" })
    const service = yield* journalRequests(AskBranch, counter())
    expect([yield* ask(service, "s", "same"), yield* ask(service, "s", "same"), yield* ask(service, "s", "other")])
      .toEqual(["1", "2", "3"])
    const replayed = yield* replayRequests(AskBranch)
    expect(yield* ask(replayed, "a", "read")).toBe("1,2")
    expect(yield* ask(replayed, "b", "other")).toBe("3")
    expect([yield* ask(replayed, "c", "same"), yield* ask(replayed, "d", "same"), yield* ask(replayed, "e", "same")])
      .toEqual(["1", "2", "2"])
    expect(yield* ask(yield* replayById(AskBranch), "r", "read")).toBe("1,2")
  }),
)

inJournal(
  "a replay compares the bytes beside a request, as far as they were read",
  Effect.gen(function* () {
    const leaf: Asking = {
      request: ({ correlationId, text }, { content = Stream.empty } = {}) =>
        text === "put no"
          ? Stream.fail(new AskFault({ correlationId, message: "no" }))
          : Stream.fromEffect(Effect.as(Effect.ignore(Stream.runDrain(content)), wholeOf(1, correlationId))),
    }
    const service = yield* journalRequests(AskBranch, leaf)
    const content = new Uint8Array(100_000).fill(1)
    expect(yield* ask(service, "a", "put", content)).toBe("1")
    expect(yield* ask(service, "b", "put no", content)).toBe("no")
    for (const replay of [yield* replayRequests(AskBranch), yield* replayById(AskBranch)]) {
      const other = "Broken: the recording has different content for this request"
      expect(yield* ask(replay, "a", "put", content)).toBe("1")
      expect(yield* ask(replay, "a", "put", content.slice(1))).toBe(other)
      expect(yield* ask(replay, "a", "put", new Uint8Array(100_001).fill(1))).toBe(other)
      expect(yield* ask(replay, "a", "put", content.with(99_999, 2))).toBe(other)
      // The service failed before it read them.
      expect(yield* ask(replay, "b", "put no", content)).toBe("no")
    }
  }),
)

inJournal(
  "a daemon refuses content with a missing, repeated or unreadable piece, or without an end",
  Effect.gen(function* () {
    const lengths: Array<number> = []
    const leaf: Asking = {
      request: ({ correlationId }, { content = Stream.empty } = {}) =>
        content.pipe(
          Stream.runCollect,
          Effect.mapError((error) => new AskFault({ correlationId, message: String(error) })),
          Effect.map((parts) => {
            lengths.push(parts.length)
            return wholeOf(parts.length, correlationId)
          }),
          Stream.fromEffect,
        ),
    }
    const daemon = yield* serveRequests(AskBranch, leaf)
    const client = yield* requestDaemon(AskBranch)
    const piece = (id: string, offset: number, isFinal = false, data = new Uint8Array(isFinal ? 0 : 10)) =>
      Journal.append([{
        branch: "ask",
        correlationId: id,
        body: bytes.encode(Bytes.make({ correlationId: id, offset, data, isFinal })),
      }])
    const contents: Readonly<Record<string, ReadonlyArray<Effect.Effect<unknown, unknown, Journal>>>> = {
      gap: [piece("gap", 0), piece("gap", 20), piece("gap", 30, true)],
      twice: [piece("twice", 0), piece("twice", 0), piece("twice", 10, true)],
      endless: [piece("endless", 0), piece("endless", 10)],
      none: [],
      unreadable: [
        piece("unreadable", 0),
        Journal.append([{ branch: "ask", correlationId: "unreadable", body: { _tag: "Bytes", offset: "ten" } }]),
      ],
      good: [piece("good", 0), piece("good", 10), piece("good", 20, true)],
    }
    yield* Effect.forEach(Object.values(contents).flat(), (each) => each)
    yield* daemon.start
    const answers = yield* Effect.forEach(Object.keys(contents), (id) => ask(client, id, "put"))
    expect(answers).toEqual([
      expect.stringMatching(/entry \d+ of the content begins at byte 20, not at 10/),
      expect.stringMatching(/entry \d+ of the content begins at byte 0, not at 10/),
      expect.stringContaining("the content in the journal has no end"),
      expect.stringContaining("the content in the journal has no end"),
      expect.stringMatching(/entry \d+ of the content cannot be read/),
      "2",
    ])
    expect(lengths).toEqual([2])
    expect(yield* ask(client, "gap", "put again", new Uint8Array(3))).toBe(
      "AlreadyOpen: nothing was done: this id has content already; send it under another id",
    )
  }),
)

inJournal(
  "nothing follows the event that ends a request",
  Effect.gen(function* () {
    const service = yield* journalRequests(AskBranch, {
      request: ({ correlationId }) => Stream.make(wholeOf(1, correlationId), wholeOf(2, correlationId)),
    })
    expect(yield* ask(service, "a", "one")).toBe("1")
    const entries = yield* Journal.read({ filter: { correlationId: "a", tags: ["Whole"] } })
    expect(entries.length).toBe(1)
  }),
)

inJournal(
  "once: of two concurrent requests with one id one is made, and that of a living process is left alone",
  Effect.gen(function* () {
    const leaf = counter()
    const once = yield* answerOnce(AskBranch, {
      request: (request) => Stream.unwrap(Effect.as(Effect.sleep("20 millis"), leaf.request(request))),
    })
    const both = yield* Effect.all([ask(once, "a", "one"), ask(once, "a", "one")], { concurrency: "unbounded" })
    expect(both.toSorted()).toEqual([
      "1",
      expect.stringMatching(/^AlreadyOpen: nothing was done: /),
    ])
    // The process of this test lives; the other is not seen from here, and gives no sign.
    yield* request("b", "one")
    yield* lease("b", 1, yield* currentHost)
    expect(yield* ask(once, "b", "one")).toMatch(
      /^AlreadyOpen: nothing was done: process \d+ of \S+ is making this request/,
    )
    yield* request("c", "one")
    yield* lease("c", 1, elsewhere, 30)
    expect(yield* ask(once, "c", "one")).toContain("HostLost: it was started before")
    // One that promises no sign may live.
    yield* request("d", "one")
    yield* lease("d", 1)
    expect(yield* ask(once, "d", "one")).toContain("AlreadyOpen: nothing was done: process 4242 of elsewhere")
    expect(leaf.count).toBe(1)
  }),
)

inJournal(
  "a request whose body has another id is left alone, and so is one that cannot be read",
  Effect.gen(function* () {
    const leaf = counter()
    const daemon = yield* serveRequests(AskBranch, leaf)
    yield* Journal.append([
      { branch: "ask", correlationId: "a", body: { _tag: "Ask", correlationId: "b", text: "one" } },
      { branch: "ask", correlationId: "c", body: { _tag: "Ask", text: 3 } },
      { branch: "ask", correlationId: "d", body: { _tag: "Demand", text: "later version" } },
    ])
    yield* daemon.start
    const client = yield* requestDaemon(AskBranch)
    expect(yield* ask(client, "e", "one")).toBe("1")
    expect((yield* Journal.read({ filter: { tags: ["LeaseTaken"] } })).map(({ correlationId }) => correlationId))
      .toEqual(["e"])
  }),
)

inJournal(
  "a journal that fails: nothing is done when it refuses a request, and when it refuses an answer the fault says what is unknown",
  Effect.gen(function* () {
    const journal = flaky(yield* Journal)
    const leaf = counter()
    const failing: Asking = {
      request: (request) => {
        journal.mood = "full"
        return leaf.request(request)
      },
    }
    const nothing =
      /^JournalFailed: nothing was done: the journal failed: journal: nothing was appended: the disk is full/
    const begun =
      /^JournalFailed: it was started, and the journal failed: .*; check the current state before you repeat it$/
    for (const make of [journalRequests, answerOnce]) {
      journal.mood = "well"
      const service = yield* Effect.provideService(make(AskBranch, failing), Journal, journal)
      const before = leaf.count
      expect(yield* ask(service, `${make.name}/1`, "one")).toMatch(begun)
      expect(yield* ask(service, `${make.name}/2`, "one")).toMatch(nothing)
      expect(leaf.count).toBe(before + 1)
    }
  }),
)

inJournal(
  "a request whose answer is too long for an entry ends with the fault that says so",
  Effect.gen(function* () {
    const service = yield* journalRequests(AskBranch, {
      request: ({ correlationId }) => Stream.fail(new AskFault({ correlationId, message: "x".repeat(9_000_000) })),
    })
    const what = "its body is longer than 8388608 characters"
    expect(yield* ask(service, "a", "one")).toContain("xxx")
    const whole = yield* journalRequests(HttpBranch, {
      request: ({ correlationId, url }) =>
        Stream.succeed(
          HttpResponse.make({ correlationId, url, status: 200, headers: {}, body: new Uint8Array(9_000_000) }),
        ),
    })
    const fetched = HttpFetch.make({ correlationId: "b", url: "https://example.org/" })
    expect((yield* Effect.flip(requestOne(whole, fetched))).message).toContain(what)
    const entries = yield* Journal.read({ filter: { tags: ["AskFault", "HttpFault"] } })
    expect(entries.map(({ body, tag }) => [tag, String(body?.["message"]).includes(what)])).toEqual([
      ["AskFault", true],
      ["HttpFault", true],
    ])
  }),
)

it("refuses a declaration with one tag for two entries", () => {
  expect(() => makeServiceBranch({ ...asking, request: { tags: ["Whole"], schema: Ask } })).toThrow(
    'branch "ask": two kinds of entries have the tag "Whole"; give each a tag of its own',
  )
  expect(() => makeServiceBranch({ ...asking, fault: { tags: ["LeaseTaken"], schema: AskFault } })).toThrow(
    '"LeaseTaken"',
  )
})

const correlationId = "x"
const data = encodeUtf8("hello")
const entries = [{ path: "a", size: 1, modified: 2, isDirectory: false, isSymlink: false }]

serviceBranchContract("FileSystem", FileSystemBranch, [
  {
    request: FileRead.make({ correlationId, path: "a" }),
    events: [{ _tag: "FileContent", correlationId, content: data, totalSize: 5, isPartial: false }],
  },
  {
    request: FileRead.make({ correlationId, path: "b" }),
    events: [
      { _tag: "FileContentChunk", correlationId, offset: 0, data, isFinal: false },
      { _tag: "FileContentChunk", correlationId, offset: 5, data, isFinal: true },
    ],
  },
  {
    request: FileWrite.make({ correlationId, path: "a", content: data, createMode: "CreateNew" }),
    events: [{ _tag: "FileWritten", correlationId, path: "a", bytesWritten: 5 }],
  },
  {
    request: FileWrite.make({
      correlationId,
      path: "a",
      content: new Uint8Array(0),
      createMode: "CreateNew",
      chunked: true,
    }),
    content: new Uint8Array(150_000),
    events: [{ _tag: "FileWritten", correlationId, path: "a", bytesWritten: 150_000 }],
  },
  {
    request: FileList.make({ correlationId, path: "" }),
    events: [{ _tag: "FileListing", correlationId, entries }],
  },
  {
    request: FileList.make({ correlationId, path: "b", recursive: true }),
    events: [
      { _tag: "FileListingChunk", correlationId, entries, isFinal: false },
      { _tag: "FileListingChunk", correlationId, entries: [], isFinal: true },
    ],
  },
  {
    request: FileDelete.make({ correlationId, path: "a" }),
    events: [{ _tag: "FileDeleted", correlationId, path: "a", deletedCount: 1 }],
  },
  {
    request: FileStat.make({ correlationId, path: "a" }),
    events: [{ _tag: "FileMetadata", correlationId, size: 1, modified: 2, isDirectory: false, isSymlink: false }],
  },
])

serviceBranchContract("Spellcasting", SpellcastingBranch, [
  {
    request: SpellInvocation.make({ correlationId, name: "read_file", arguments: { path: "a" } }),
    events: [SpellResult.make({ correlationId, result: { text: "a" } })],
  },
])

serviceBranchContract("tool calls", ToolCallBranch, [
  {
    request: AgentToolCall.make({ correlationId, callId: "c", name: "read_file", arguments: null }),
    events: [
      AgentToolCallProgress.make({ correlationId, callId: "c", name: "read_file", text: "12 of 40\n" }),
      AgentToolCallResult.make({ correlationId, callId: "c", name: "read_file", result: [1], isFailure: false }),
    ],
  },
])

serviceBranchContract("models", ModelBranch, [
  {
    request: ModelRequest.make({ correlationId, added: [{ role: "user", content: "hi" }], tools: [] }),
    events: [
      ModelDelta.make({ correlationId, kind: "text", text: "he" }),
      ModelResponse.make({
        correlationId,
        text: "hello",
        toolCalls: [],
        messages: [],
        finishReason: "stop",
        inputTokens: 1,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 1,
      }),
    ],
  },
])

serviceBranchContract("approvals", ApprovalBranch, [
  {
    request: ApprovalRequest.make({
      correlationId,
      invocationId: "i",
      spell: "run_command",
      arguments: {},
      about: "ls",
      suggestions: [],
    }),
    events: [ApprovalAnswer.make({ correlationId, decision: "allow", by: "ada" })],
  },
])

serviceBranchContract("Http", HttpBranch, [
  {
    request: HttpFetch.make({ correlationId, url: "https://example.org/", body: data, method: "POST" }),
    events: [HttpResponse.make({ correlationId, url: "https://example.org/", status: 200, headers: {}, body: data })],
  },
])

/** A value of each type that JSON has not. */
const cells = [null, true, 1.5, -0, NaN, -Infinity, 2n ** 63n, "text", data, { json: { a: [null, "x"] } }, {
  json: null,
}]
const results = [{ affectedRows: 1, columns: ["a"], rows: [[1]] }]

serviceBranchContract("Database", DatabaseBranch, [
  {
    request: DatabaseQuery.make({ correlationId, sql: "SELECT", params: cells, maxRows: 7 }),
    events: [1, 2].map((n) => ({ _tag: "DatabaseRows", correlationId, columns: ["a", "a"], rows: [cells, [n, "b"]] })),
  },
  {
    request: DatabaseExecute.make({ correlationId, sql: "DELETE" }),
    events: [{ _tag: "DatabaseExecuted", correlationId, affectedRows: 3, columns: [], rows: [] }],
  },
  {
    request: DatabaseTransaction.make({ correlationId, statements: [{ sql: "DELETE", params: cells }, { sql: "X" }] }),
    events: [{ _tag: "DatabaseCommitted", correlationId, results }],
  },
])

serviceBranchContract("Git", GitBranch, [
  { request: GitStatus.make({ correlationId }), events: [{ _tag: "GitStatusResult", correlationId, files: [] }] },
  { request: GitDiff.make({ correlationId }), events: [{ _tag: "GitDiffResult", correlationId, diff: "" }] },
  { request: GitLog.make({ correlationId }), events: [{ _tag: "GitLogResult", correlationId, commits: [] }] },
  {
    request: GitCommit.make({ correlationId, message: "Adds" }),
    events: [{ _tag: "GitCommitted", correlationId, commit: "abc" }],
  },
  { request: GitBranches.make({ correlationId }), events: [{ _tag: "GitBranchList", correlationId, branches: [] }] },
  {
    request: GitSwitch.make({ correlationId, branch: "main" }),
    events: [{ _tag: "GitSwitched", correlationId, branch: "main" }],
  },
  {
    request: GitFiles.make({ correlationId, paths: ["src"] }),
    events: [{ _tag: "GitFileList", correlationId, files: [{ path: "a", mode: "100644", hash: "abc" }] }],
  },
  {
    request: GitRead.make({ correlationId, path: "a" }),
    events: [{ _tag: "GitFileContent", correlationId, path: "a", content: data }],
  },
  {
    request: GitCreateBranch.make({ correlationId, branch: "topic", from: "main" }),
    events: [{ _tag: "GitBranchCreated", correlationId, branch: "topic", commit: "abc" }],
  },
  {
    request: GitCommitFiles.make({
      correlationId,
      branch: "topic",
      message: "Adds",
      files: [
        { path: "a", content: "text" },
        { path: "b", content: data, executable: true },
        { path: "c", remove: true },
      ],
    }),
    events: [{ _tag: "GitCommitted", correlationId, commit: "abc" }],
  },
  {
    request: GitOpenPullRequest.make({ correlationId, branch: "topic", title: "Adds", draft: true }),
    events: [{ _tag: "GitPullRequestOpened", correlationId, number: 1, url: "https://example.org/1" }],
  },
])

// A value that went through a journal is lost; that of a sample is, too.
const lost = Redacted.make("", { label: "github" })
Redacted.wipeUnsafe(lost)

serviceBranchContract("Secrets", SecretsBranch, [
  {
    request: SecretGet.make({
      correlationId,
      name: "github",
      field: "token",
      version: "2",
      purpose: "gh",
      commandId: "c",
    }),
    events: [{ _tag: "SecretGiven", correlationId, name: "github", value: lost }],
  },
  { request: SecretList.make({ correlationId }), events: [{ _tag: "SecretNames", correlationId, names: ["github"] }] },
])
