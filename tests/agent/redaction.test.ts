import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Agent from "../../src/agent/Agent.ts"
import { encodeUtf8 } from "../../src/base/bytes.ts"
import { layer as journaledShell } from "../../src/compute/JournaledShell.ts"
import { Files, JournaledFileSystem } from "../../src/leaves/files/mod.ts"
import { type Draft, type Entry, Journal, MemoryJournal, Redactor } from "../../src/journal/Journal.ts"
import { MockModel, type MockTurn } from "../../src/leaves/mock/MockModel.ts"
import { standard } from "../../src/spell/builtin/standard.ts"
import { ProcessTable } from "../../src/spell/ProcessTable.ts"
import { deadHost } from "./deadHost.ts"
import { workplace } from "./workplace.ts"

const secret = "grüne-hunter2-Wolke"
const redactor = Redactor.combine(
  Redactor.secrets([{ value: secret, label: "password" }]),
  Redactor.patterns(Redactor.commonPatterns),
)
const token = `ghp_${"a1B2".repeat(9)}`

const script: ReadonlyArray<MockTurn> = [
  { text: `I use ${secret}.`, calls: [{ name: "read_file", arguments: { path: ".env" } }] },
  {
    // The model sees what is there.
    expect: ({ results }) => JSON.stringify(results[0]?.result).includes(secret),
    calls: [
      { name: "write_file", arguments: { path: "copy", content: `PASSWORD=${secret}\n` } },
      { name: "run_script", arguments: { script: `echo ${secret}; cat .env >&2`, cwd: "/work" } },
      { name: "nothing", arguments: { [secret]: [{ deep: `x${token}y` }] } },
    ],
  },
  { text: "done" },
]

const world = (turns: ReadonlyArray<MockTurn>, entries: ReadonlyArray<Entry> = []) => {
  const copied = Layer.effectDiscard(
    Effect.flatMap(Journal, (journal) => entries.length === 0 ? Effect.void : journal.append(entries.map(draftOf))),
  )
  const journal = Journal.redacting(redactor).pipe(Layer.provideMerge(copied), Layer.provide(MemoryJournal.layer))
  const place = Layer.merge(JournaledFileSystem.layer, journaledShell).pipe(Layer.provideMerge(workplace))
  return Layer.mergeAll(place, ProcessTable.layer, MockModel.layerByPosition(turns)).pipe(Layer.provideMerge(journal))
}

/** The entry of a process that has died since. */
const draftOf = ({ body = { _tag: "Checkpoint" }, branch, correlationId, version }: Entry): Draft => ({
  branch,
  correlationId,
  version,
  body: body._tag === "LeaseTaken" ? { ...body, host: deadHost } : body,
})

const options: Agent.AgentOptions = { id: "run", task: `log in with ${secret}`, tools: [...standard.spells.keys()] }
const run = Effect.flatMap(
  Agent.journaled(standard),
  (services) => Stream.runLast(Agent.run(services, options)),
)

/** All that entries hold: their texts, and the bytes of their base64. */
const textOf = (entries: ReadonlyArray<Entry>): string => {
  const bytes = new Map<string, Array<string>>()
  for (const { body, correlationId, tag } of entries) {
    for (const name of ["content", "data", "body"]) {
      const decoded = typeof body?.[name] === "string" ? Result.getOrUndefined(Base64.decode(body[name])) : undefined
      const key = `${correlationId} ${tag}`
      if (decoded !== undefined) {
        bytes.set(key, [...bytes.get(key) ?? [], String.fromCharCode(...decoded.slice(0, 60_000))])
      }
    }
  }
  const utf8 = [...bytes.values()].map((parts) =>
    new TextDecoder().decode(Uint8Array.from(parts.join(""), (character) => character.charCodeAt(0)))
  )
  return JSON.stringify(entries.map(({ body }) => body)) + utf8.join("\n")
}

/** The ids of requests that were begun and have no end. */
const openIn = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const open = new Map<string, string>()
  for (const { branch, correlationId, tag } of entries) {
    if (
      /^(AgentRun|ModelRequest|AgentToolCall|SpellInvocation|File(Read|Write|Stat|List|Delete)|ShellExec)$/.test(tag)
    ) {
      open.set(`${branch} ${correlationId}`, tag)
    } else if (!/^(LeaseTaken|FileWriteChunk|FileContentChunk|ShellOutputChunks|Shell.*Chunk)$/.test(tag)) {
      open.delete(`${branch} ${correlationId}`)
    }
  }
  return [...open].map(([id, tag]) => `${tag} ${id}`)
}

const prepared = Files.write(".env", `PASSWORD=${secret}\nTOKEN=${token}\n`)

describe("a journal with a redactor", () => {
  it.effect("has none of the secrets of a run, which the model and the files have", () =>
    Effect.gen(function* () {
      yield* prepared
      const end = yield* run
      expect(end).toMatchObject({ value: { because: "done" } })
      yield* MockModel.verify
      expect(yield* Files.readText("copy")).toBe(`PASSWORD=${secret}\n`)
      const text = textOf(yield* Journal.read())
      for (const each of [secret, token, "hunter2"]) expect(text).not.toContain(each)
      expect(text.split("<redacted:password>").length).toBeGreaterThan(12)
      const recorded = yield* Agent.recordedRun()
      const replayed = yield* Stream.runLast(Agent.run(yield* Agent.replay(recorded), recorded.options))
      expect(replayed).toMatchObject({ value: { because: "done", text: "done", toolCalls: 4 } })
    }).pipe(Effect.provide(world(script))))

  it.effect("finds secrets across the pieces of a large file, and stores the rest unchanged", () =>
    Effect.gen(function* () {
      const line = `${"-".repeat(80)}\n`
      const before = line.repeat(809) + "x".repeat(65_536 - 809 * line.length - 3)
      const text = `${before}${secret}\n${line.repeat(20_000)}${token}`
      const bytes = encodeUtf8(text)
      yield* Files.write("large", Stream.make(bytes.subarray(0, 65_539), bytes.subarray(65_539)))
      expect(yield* Files.readText("large")).toBe(text)
      const entries = yield* Journal.read()
      const stored = (tag: string) =>
        Effect.map(
          Effect.forEach(entries.filter((entry) => entry.tag === tag), ({ body }) =>
            Effect.fromResult(Base64.decode(String(body?.["data"])))),
          (parts) =>
            parts.map((part) => new TextDecoder("latin1").decode(part)).join(""),
        )
      const redacted = text.replace(secret, "<redacted:password>").replace(token, "<redacted:GitHub token>")
      expect((yield* stored("FileWriteChunk")) === redacted).toBe(true)
      expect((yield* stored("FileContentChunk")) === redacted).toBe(true)
    }).pipe(Effect.provide(world([]))))

  it("lets a run continue after a kill at any entry, and writes no marker in the place of a secret", async () => {
    const whole = await Effect.runPromise(Effect.scoped(
      Effect.provide(Effect.andThen(prepared, Effect.andThen(run, Journal.read())), world(script)),
    ))
    const first = whole.findIndex(({ branch }) => branch === "agent-run")
    let refused = 0
    for (let kept = first + 2; kept <= whole.length; kept += 1) {
      // A request and its lease are one append.
      if (whole[kept]?.tag === "LeaseTaken") continue
      const program = Effect.gen(function* () {
        yield* prepared
        const end = yield* run
        expect(end).toMatchObject({ value: { because: "done", text: "done" } })
        const entries = yield* Journal.read()
        expect(textOf(entries)).not.toContain("hunter2")
        const ended = entries.filter(({ tag }) => tag === "SpellResult" || tag === "SpellFault")
        expect(new Set(ended.map(({ correlationId }) => correlationId)).size).toBe(ended.length)
        expect(openIn(entries)).toEqual([])
        if (JSON.stringify(ended).includes("does not keep secrets")) refused += 1
        const copied = yield* Effect.option(Files.readText("copy"))
        expect(JSON.stringify(copied)).not.toContain("redacted")
      })
      const turns = script.slice(0, 2).map(({ calls, text }) => ({ calls, text }))
      const after: MockTurn = { text: "done" }
      const all = world([...turns, after, after], whole.slice(0, kept))
      await Effect.runPromise(Effect.scoped(Effect.provide(program, all)))
    }
    expect(refused).toBeGreaterThan(3)
  })
})
