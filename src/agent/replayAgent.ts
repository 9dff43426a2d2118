/** Replays a recorded agent run: completely, without side effects, or only the model's answers. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { replayById } from "../branch/replayById.ts"
import { Journal } from "../journal/JournalService.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { AgentEnd, AgentEndCause, AgentEvent } from "./AgentEvent.ts"
import { AgentFault, type AgentRun, AgentRunBranch } from "./AgentRunBranch.ts"
import type { AgentServices } from "./AgentServices.ts"
import type { AgentOptions } from "./AgentOptions.ts"
import { ModelBranch, type ModelService } from "./ModelBranch.ts"
import { ToolCallBranch } from "./ToolCallBranch.ts"

type Events = Stream.Stream<AgentEvent, AgentFault>

/** A run that a journal has. */
export interface RecordedRun {
  readonly run: AgentRun
  /** Options that make the same requests again. */
  readonly options: AgentOptions
  /** The end of the run; `undefined` if the run was killed or has failed. */
  readonly end: AgentEnd | undefined
}

const optionsOf = ({ context, correlationId, model, system, task, tools }: AgentRun): AgentOptions => ({
  id: correlationId,
  task,
  system,
  tools,
  model,
  maxContextTokens: context.maxTokens,
  keepTurns: context.keepTurns,
  summarize: context.summarize,
})

/**
 * Finds a run in the journal of the context by its id, or the run that began last.
 *
 * @example
 * ```ts
 * import { Agent } from "@sluice/shell/agent"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const run = Effect.provide(Agent.recordedRun("run-1"), MemoryJournal.layer)
 * console.log((await Effect.runPromise(Effect.flip(run)))._tag) // AgentFault
 * ```
 */
export const recordedRun = (id?: string): Effect.Effect<RecordedRun, AgentFault | JournalError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const { name: branch } = AgentRunBranch
    const [begun] = yield* journal.readBackward({
      filter: { branch, tags: ["AgentRun"], ...(id === undefined ? undefined : { correlationId: id }) },
      maxEntries: 1,
    })
    const run = begun?.body === undefined ? undefined : AgentRunBranch.request.decode(begun.body, begun.version)
    if (begun === undefined || run === undefined || run._tag === "Failure") {
      const message = `agent: the journal has no run${id === undefined ? "" : ` ${id}`} of an agent that can be read`
      return yield* Effect.fail(new AgentFault({ correlationId: id ?? "none", faultKind: "UnknownRun", message }))
    }
    const { correlationId } = begun
    const filter = { branch, correlationId, tags: ["AgentEnd"] }
    const [ended] = yield* journal.readBackward({ filter, maxEntries: 1 })
    const end = ended?.body === undefined ? undefined : AgentRunBranch.event.decode(ended.body, ended.version)
    return {
      run: run.success,
      options: optionsOf(run.success),
      end: end?._tag === "Success" && end.success._tag === "AgentEnd" ? end.success : undefined,
    }
  })

/** The id of a request of a run, as a recorded run has it: only the part before the first slash differs. */
const idIn = (recordedId: string) => (id: string): string => {
  const slash = id.indexOf("/")
  return slash < 0 ? id : recordedId + id.slice(slash)
}

const atLimit: ReadonlyArray<AgentEndCause> = ["turns", "tokens", "cost", "stopped"]

/** Ends the events as the recorded run ended, because its limits and its interruption are not replayed. */
const endAsRecorded = (events: Events, end: AgentEnd): Events => {
  if (atLimit.includes(end.because)) {
    const isLast = (event: AgentEvent) =>
      event._tag === "ModelResponse" && event.correlationId.endsWith(`/${end.turns}`)
    return Stream.concat(Stream.takeUntil(events, isLast), Stream.succeed(end))
  }
  if (end.because !== "interrupted" && end.because !== "time") return events
  // The next request has no recorded answer.
  return Stream.catch(
    events,
    (fault): Events => fault.faultKind === "Broken" ? Stream.succeed(end) : Stream.fail(fault),
  )
}

/**
 * The services of a recorded run of the journal of the context, which act on nothing: the model and its tools answer as they
 * did. A request that differs from the recorded one fails. A run that was interrupted ends where it ended.
 *
 * @example
 * ```ts
 * import { Agent } from "@sluice/shell/agent"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Spell, Spellbook } from "@sluice/shell/spell"
 * import { MockModel } from "@sluice/shell/testing"
 * import { Effect, Layer, Schema, Stream } from "effect"
 *
 * let cast = 0
 * const count = Spell.make({
 *   name: "count",
 *   description: "Counts.",
 *   parameters: Schema.Struct({}),
 *   success: Schema.Int,
 *   cast: () => Effect.sync(() => ++cast),
 * })
 * const book = Spellbook.make(count)
 * const model = MockModel.layer([
 *   MockModel.turn({ calls: [{ name: "count", arguments: {} }] }),
 *   MockModel.turn({ text: "done" }),
 * ])
 * const record = Effect.flatMap(
 *   Agent.journaled(book),
 *   (services) => Stream.runDrain(Agent.run(services, { task: "count", tools: ["count"] })),
 * )
 * const world = Layer.merge(MemoryJournal.layer, model)
 * const program = Effect.gen(function* () {
 *   yield* record
 *   const recorded = yield* Agent.recordedRun()
 *   return yield* Stream.runLast(Agent.run(yield* Agent.replay(recorded), recorded.options))
 * })
 * const end = await Effect.runPromise(Effect.provide(program, world))
 * console.log(end._tag === "Some" && end.value._tag === "AgentEnd" && cast) // 1
 * ```
 */
export const replay = ({ end, run }: RecordedRun): Effect.Effect<AgentServices, never, Journal> =>
  Effect.gen(function* () {
    const recordedId = idIn(run.correlationId)
    return {
      model: yield* replayById(ModelBranch, { recordedId }),
      tools: yield* replayById(ToolCallBranch, { recordedId }),
      record: (_, events) => end === undefined ? events : endAsRecorded(events, end),
    }
  })

/**
 * The model of a run recorded in the journal of the context: it gives the recorded answer of each turn, whatever the prompt.
 * With real spells it repeats the run on a fresh copy of its folder.
 *
 * @example
 * ```ts
 * import { Agent } from "@sluice/shell/agent"
 * import { Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * // The services with which the newest run of a journal is done again, on other files.
 * const services = Effect.gen(function* () {
 *   const recorded = yield* Agent.recordedRun()
 *   return yield* Agent.journaledWith(Spellbook.standard, yield* Agent.replayModel(recorded))
 * })
 * console.log(Effect.isEffect(services)) // true
 * ```
 */
export const replayModel = ({ run }: RecordedRun): Effect.Effect<ModelService, never, Journal> =>
  replayById(ModelBranch, { recordedId: idIn(run.correlationId), isStrict: false })
