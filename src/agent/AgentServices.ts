/** Makes the services of an agent: a model and spells, journaled or not. */
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { answerOnce } from "../branch/answerOnce.ts"
import { Journal } from "../journal/JournalService.ts"
import { redactorOf } from "../journal/redaction/RememberedSecrets.ts"
import { service } from "../spell/castSpell.ts"
import type { Spellbook } from "../spell/makeSpellbook.ts"
import { SpellcastingBranch, type SpellcastingService } from "../spell/SpellcastingBranch.ts"
import type { Policy } from "../window/Policy.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { AgentFault, AgentRun } from "./AgentRunBranch.ts"
import { ModelBranch, type ModelService } from "./ModelBranch.ts"
import { makeKnownRuns } from "./KnownRuns.ts"
import { modelService } from "./modelService.ts"
import { recordRuns } from "./recordRuns.ts"
import { refuseRedacted } from "./refuseRedacted.ts"
import { ToolCallBranch, type ToolCallService } from "./ToolCallBranch.ts"
import { toolService } from "./toolRoutes.ts"
import { withProgressShell, withToolProgress } from "./toolProgress.ts"

/** The services of an agent. */
export interface AgentServices {
  readonly model: ModelService
  readonly tools: ToolCallService
  /** Stores a run and its end. Default: neither is stored. */
  readonly record?:
    | ((run: AgentRun, events: Stream.Stream<AgentEvent, AgentFault>) => Stream.Stream<AgentEvent, AgentFault>)
    | undefined
}

/** Options of {@link services}. */
export interface ServicesOptions {
  /**
   * Window policy of the output of commands that run, as `AgentToolCallProgress`. Calls of `run_command` and `run_script` name
   * another one with `window`. Default: only such calls report their output.
   */
  readonly window?: Policy | undefined
}

/**
 * The model of the context and the spells of a book, which leave no trace.
 *
 * @example
 * ```ts
 * import { Agent } from "@sluice/shell/agent"
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { readFile, Spellbook, writeFile } from "@sluice/shell/spell"
 * import { MockModel } from "@sluice/shell/testing"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const book = Spellbook.make(readFile, writeFile)
 * const model = MockModel.layer([
 *   MockModel.turn({ calls: [{ name: "write_file", arguments: { path: "hello.txt", content: "hello" } }] }),
 *   MockModel.turn({ text: "Written.", expect: ({ results }) => results[0]?.isFailure === false }),
 * ])
 * const program = Effect.gen(function* () {
 *   const services = yield* Agent.services(book)
 *   return yield* Stream.runCollect(Agent.run(services, { task: "write hello", tools: [...book.spells.keys()] }))
 * })
 * const events = await Effect.runPromise(Effect.provide(program, Layer.merge(MemoryFileSystem.layer, model)))
 * console.log(events.some((event) => event._tag === "AgentToolCallResult" && !event.isFailure)) // true
 * ```
 */
export const services = <R>(
  book: Spellbook<R>,
  { window }: ServicesOptions = {},
): Effect.Effect<AgentServices, never, R | LanguageModel.LanguageModel> =>
  Effect.all({
    model: modelService(book),
    tools: Effect.map(
      Effect.flatMap(spellsOf(book, window), toolService),
      (tools) => withToolProgress(tools, () => undefined),
    ),
  })

/** The spells of a book, whose commands report their output in windows. */
const spellsOf = <R>(
  book: Spellbook<R>,
  window: Policy | undefined,
): Effect.Effect<SpellcastingService, never, R> =>
  Effect.flatMap(
    Effect.context<R>(),
    (context) => Effect.provide(service(book), withProgressShell(context, window)),
  )

/** Options of {@link journaled}. */
export interface JournaledOptions<E = never, R = never> extends ServicesOptions {
  /** Guards the spells: `ApprovalPolicy.guardService(policy, book)`. Default: every call is cast. */
  readonly guard?: ((spells: SpellcastingService) => Effect.Effect<SpellcastingService, E, R>) | undefined
}

/**
 * The model of the context and the spells of a book, with their requests and answers journaled in the journal of the
 * context; so are a spell's file and shell operations if the `Files` and `Shell` of the context are journaled.
 *
 * A request with a journaled answer gets that answer. A call that was interrupted because the process was killed is
 * made again if its spell is read-only; otherwise the model learns that the call was lost. With a redacting journal
 * (`Journal.redacting`), a resumed run has markers in place of secrets. A call that was not begun and has a marker in
 * its arguments is not made: the model is asked to make it again.
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
 * const program = Effect.gen(function* () {
 *   const services = yield* Agent.journaled(book)
 *   const options = { id: "run-1", task: "count", tools: ["count"] }
 *   yield* Stream.runDrain(Agent.run(services, options))
 *   // Everything is in the journal: nothing is asked, and nothing done, again.
 *   return yield* Stream.runLast(Agent.run(services, options))
 * })
 * await Effect.runPromise(Effect.provide(program, Layer.merge(MemoryJournal.layer, model)))
 * console.log(cast) // 1
 * ```
 */
export const journaled = <R, E = never, R2 = never>(
  book: Spellbook<R>,
  options: JournaledOptions<E, R2> = {},
): Effect.Effect<AgentServices, E, R | R2 | Journal | LanguageModel.LanguageModel> =>
  Effect.flatMap(modelService(book), (model) => journaledWith(book, model, options))

/**
 * {@link journaled} with a given model, such as that of a recorded run.
 *
 * @example
 * ```ts
 * import { Agent } from "@sluice/shell/agent"
 * import { Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const model = Effect.flatMap(Agent.recordedRun("run-1"), Agent.replayModel)
 * const services = Effect.flatMap(model, (model) => Agent.journaledWith(Spellbook.standard, model))
 * console.log(Effect.isEffect(services)) // true
 * ```
 */
export const journaledWith = <R, E = never, R2 = never>(
  book: Spellbook<R>,
  model: ModelService,
  options: JournaledOptions<E, R2> = {},
): Effect.Effect<AgentServices, E, R | R2 | Journal> =>
  Effect.gen(function* () {
    const guard = options.guard ?? Effect.succeed
    const spells = refuseRedacted(yield* guard(yield* spellsOf(book, options.window)))
    const { add, asking, isNew, lease } = makeKnownRuns()
    const once = yield* answerOnce(SpellcastingBranch, spells, {
      lease,
      canRerun: ({ name }) => book.spells.get(name)?.readOnly ?? true,
      isNew,
    })
    const journal = yield* Journal
    const tools = withToolProgress(yield* toolService(once), () => redactorOf(journal))
    const record = yield* recordRuns
    return {
      model: yield* answerOnce(ModelBranch, asking(model), { isNew, lease, retriesFaults: true }),
      tools: yield* answerOnce(ToolCallBranch, tools, { isNew, lease, retriesFaults: true }),
      record: (run, events) => record(run, events, (position) => add(run, position)),
    }
  })
