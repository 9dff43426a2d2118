/** The output of commands that an agent's calls run, in windows, as its user and its journal get it. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { LocalShell, Window } from "@sluice/shell"
import { Agent, type AgentEvent } from "@sluice/shell/agent"
import { Journal, MemoryJournal, Redactor } from "@sluice/shell/journal"
import { runCommand, runScript, Spellbook } from "@sluice/shell/spell"
import { MockModel } from "@sluice/shell/testing"
import { layer as journaledShell } from "../../src/compute/JournaledShell.ts"
import { workshop } from "../support/workshop.ts"

const book = Spellbook.make(runScript, runCommand)
const options = { id: "run-1", task: "run it", tools: [...book.spells.keys()] }

const journaled = Agent.journaled(book)

/** The events of a run whose model runs a script once. */
const live = (
  input: { readonly script: string; readonly window?: string },
  { onEvent = () => Effect.void, redactor, services = journaled }: {
    readonly onEvent?: (event: AgentEvent) => Effect.Effect<void, unknown, Journal>
    readonly redactor?: Redactor.Redactor
    readonly services?: typeof journaled
  } = {},
) => {
  const journal = redactor === undefined
    ? MemoryJournal.layer
    : Journal.redacting(redactor).pipe(Layer.provide(MemoryJournal.layer))
  const model = MockModel.layerByPosition([
    { calls: [{ name: "run_script", arguments: { ...input } }] },
    { text: "done" },
  ])
  return Effect.gen(function* () {
    const all = yield* services
    const events = yield* Stream.runCollect(Stream.tap(Agent.run(all, options), onEvent))
    return { events, entries: yield* Journal.read() }
  }).pipe(
    Effect.provide(
      journaledShell.pipe(Layer.provide(LocalShell.layer), Layer.merge(model), Layer.provideMerge(journal)),
    ),
  )
}

const textsOf = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => event._tag === "AgentToolCallProgress" ? [event.text] : [])

it.live("comes while the command runs, is in the journal before it is seen, and again in a replay", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    const script = `echo one; while [ ! -e '${path("go")}' ]; do sleep 0.02; done; echo two; echo three`
    const tags: Array<ReadonlyArray<string>> = []
    const { entries, events } = yield* live({ script, window: "lines:1" }, {
      onEvent: (event) =>
        Effect.gen(function* () {
          if (event._tag !== "AgentToolCallProgress") return
          const call = yield* Journal.read({ filter: { correlationId: event.correlationId } })
          tags.push(call.map(({ tag }) => tag))
          write("go", "")
        }),
    })
    expect(tags[0]).toEqual(["AgentToolCall", "LeaseTaken", "AgentToolCallProgress"])
    expect(textsOf(events)).toEqual(["one\n", "two\n", "three\n"])
    const of = entries.filter(({ correlationId }) => correlationId === "run-1/1/1")
    expect(of.map(({ tag }) => tag).slice(2)).toEqual([
      ...Array.from({ length: 3 }, () => "AgentToolCallProgress"),
      "AgentToolCallResult",
    ])
    // The model gets the same result.
    const result = events.find((event) => event._tag === "AgentToolCallResult")
    expect(result).toMatchObject({ isFailure: false, result: { exitCode: 0, stdout: "one\ntwo\nthree\n" } })
    const replayed = Effect.gen(function* () {
      yield* (yield* Journal).append(
        entries.map(({ body, ...entry }) => ({ ...entry, body: body ?? { _tag: "none" } })),
      )
      const recorded = yield* Agent.recordedRun()
      return yield* Stream.runCollect(Agent.run(yield* Agent.replay(recorded), recorded.options))
    })
    expect(textsOf(yield* Effect.provide(replayed, MemoryJournal.layer))).toEqual(textsOf(events))
  }))

it.live("uses the agent's windows if the call names none, and is absent without either", () =>
  Effect.gen(function* () {
    const script = "echo 1; echo 2; sleep 0.3; echo 3"
    expect(textsOf((yield* live({ script })).events)).toEqual([])
    const services = Agent.journaled(book, { window: Window.lineCount(2) })
    expect(textsOf((yield* live({ script }, { services })).events)).toEqual(["1\n2\n", "3\n"])
    const named = yield* live({ script, window: "final" }, { services })
    expect(textsOf(named.events)).toEqual(["1\n2\n3\n"])
    const wrong = yield* live({ script, window: "lines" }, { services })
    expect(JSON.stringify(wrong.events)).toContain("needs a whole number of lines")
  }))

it.live("has no secret, also where a window ends in the middle of it", () =>
  Effect.gen(function* () {
    const secret = "hunter2hunter2"
    const script = "a=hunter2; printf 'is %s' $a; sleep 0.3; echo $a; echo end"
    for (const window of ["silence:50", "bytes:7", "lines:1"]) {
      const { entries, events } = yield* live({ script, window }, { redactor: Redactor.secrets([{ value: secret }]) })
      expect(textsOf(events).join("")).toBe("is <redacted>\nend\n")
      const stored = entries.flatMap(({ body, tag }) => tag === "AgentToolCallProgress" ? [String(body?.["text"])] : [])
      expect(stored.join("")).toBe("is <redacted>\nend\n")
      expect(JSON.stringify(entries)).not.toContain(secret)
    }
  }))
