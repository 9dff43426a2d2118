/**
 * Declares the `Approver` service, which answers whether a spell may be cast, and makes layers of it: from a function, from
 * several approvers of which the first answers, with its questions in a journal, and by those who answer there.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { OptionError } from "../base/OptionError.ts"
import type { ClientTimeouts } from "../branch/Client.ts"
import type { Daemon } from "../branch/Daemon.ts"
import type { DaemonBaseOptions } from "../branch/DaemonOptions.ts"
import { journalRequests } from "../branch/journalRequests.ts"
import { requestDaemon } from "../branch/requestDaemon.ts"
import { serveRequests } from "../branch/serveRequests.ts"
import type { Journal } from "../journal/JournalService.ts"
import {
  type ApprovalAnswer,
  ApprovalBranch,
  ApprovalFault,
  type ApprovalReply,
  type ApprovalRequest,
  type ApproverService,
} from "./ApprovalBranch.ts"

const Base: Context.ServiceClass<Approver, "@sluice/shell/Approver", ApproverService> = Context.Service<
  Approver,
  ApproverService
>()("@sluice/shell/Approver")

/**
 * Answers whether a spell may be cast.
 *
 * @stability experimental
 */
export class Approver extends Base {}

/**
 * Makes an approver of a function that answers a question, for as long as it takes. It is interrupted when the question is
 * taken back or nobody waits for the answer any more.
 *
 * @example
 * ```ts
 * import { Approver, ApprovalPolicy, Spell, Spellbook } from "@sluice/shell/spell"
 * import { Effect, Schema } from "effect"
 *
 * const sing = Spell.make({
 *   name: "sing",
 *   description: "Sings.",
 *   parameters: Schema.Struct({}),
 *   success: Schema.String,
 *   cast: () => Effect.succeed("la"),
 * })
 * const book = Spellbook.make(sing)
 * const approver = Approver.make(() => Effect.succeed({ decision: "deny", reason: "it is late" }))
 * const program = Effect.gen(function* () {
 *   const spells = yield* ApprovalPolicy.guard(ApprovalPolicy.ask, book)(yield* Spellbook.service(book))
 *   return yield* Effect.flip(Spellbook.castWith(spells, "sing", {}))
 * })
 * const fault = await Effect.runPromise(Effect.provideService(program, Approver.Approver, approver))
 * console.assert(fault.faultKind === "Denied" && fault.message.includes("it is late"))
 * ```
 *
 * @stability experimental
 */
export const make = (answer: (question: ApprovalRequest) => Effect.Effect<ApprovalReply>): ApproverService => ({
  request: (question) =>
    Stream.fromEffect(Effect.map(answer(question), (reply): ApprovalAnswer => ({
      _tag: "ApprovalAnswer",
      correlationId: question.correlationId,
      ...reply,
    }))),
})

/**
 * Asks several approvers at once; the first that answers decides, and the question is taken back from the others.
 *
 * @example
 * ```ts
 * import { ApprovalRequest, Approver } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const question = ApprovalRequest.make({
 *   correlationId: "question-1",
 *   invocationId: "run-1/2/1/1",
 *   spell: "run_command",
 *   arguments: { command: "make" },
 *   about: "run make",
 *   suggestions: [],
 * })
 * const away = Approver.make(() => Effect.never)
 * const terminal = Approver.make(() => Effect.succeed({ decision: "allow" }))
 * const answer = await Effect.runPromise(Approver.askOne(Approver.first(away, terminal), question))
 * console.assert(answer.decision === "allow")
 * ```
 *
 * @stability experimental
 */
export const first = (...approvers: ReadonlyArray<ApproverService>): ApproverService => ({
  request: (question) => Stream.fromEffect(Effect.raceAll(approvers.map((approver) => askOne(approver, question)))),
})

/**
 * Puts a question and waits for the answer.
 *
 * @example
 * ```ts
 * import { ApprovalRequest, Approver } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const question = ApprovalRequest.make({
 *   correlationId: "question-1",
 *   invocationId: "run-1/2/1/1",
 *   spell: "run_command",
 *   arguments: { command: "make" },
 *   about: "run make",
 *   suggestions: [],
 * })
 * const approver = Approver.make(({ about }) => Effect.succeed({ decision: "deny", reason: `you may not ${about}` }))
 * const { reason } = await Effect.runPromise(Approver.askOne(approver, question))
 * console.assert(reason === "you may not run make")
 * ```
 *
 * @stability experimental
 */
export const askOne = (
  approver: ApproverService,
  question: ApprovalRequest,
): Effect.Effect<ApprovalAnswer, ApprovalFault> =>
  Effect.flatMap(
    Stream.runHead(approver.request(question)),
    Option.match({
      onSome: Effect.succeed,
      onNone: () => {
        const { correlationId } = question
        return Effect.fail(
          new ApprovalFault({ correlationId, code: "Broken", message: "approval: there was no answer" }),
        )
      },
    }),
  )

/**
 * A layer of an approver.
 *
 * @example
 * ```ts
 * import { ApprovalRequest, Approver } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const question = ApprovalRequest.make({
 *   correlationId: "question-1",
 *   invocationId: "run-1/2/1/1",
 *   spell: "run_command",
 *   arguments: { command: "make" },
 *   about: "run make",
 *   suggestions: [],
 * })
 * const approver = Approver.layer(Approver.make(() => Effect.succeed({ decision: "allow" })))
 * const program = Effect.flatMap(Approver.Approver, (approver) => Approver.askOne(approver, question))
 * console.assert((await Effect.runPromise(Effect.provide(program, approver))).decision === "allow")
 * ```
 *
 * @stability experimental
 */
export const layer = (approver: ApproverService): Layer.Layer<Approver> => Layer.succeed(Approver, approver)

/**
 * The approver of the context, with each question and its answer in the journal of the context.
 *
 * @example
 * ```ts
 * import { ApprovalRequest, Approver } from "@sluice/shell/spell"
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * const question = ApprovalRequest.make({
 *   correlationId: "question-1",
 *   invocationId: "run-1/2/1/1",
 *   spell: "run_command",
 *   arguments: { command: "make" },
 *   about: "run make",
 *   suggestions: [],
 * })
 * const approver = Approver.layer(Approver.make(() => Effect.succeed({ decision: "allow" })))
 * const program = Effect.gen(function* () {
 *   yield* Approver.askOne(yield* Approver.Approver, question)
 *   const entries = yield* (yield* Journal).read({ filter: { branch: "approval" } })
 *   return entries.map(({ body }) => body?._tag)
 * })
 * const layer = Approver.layerJournaled.pipe(Layer.provide(approver), Layer.provideMerge(MemoryJournal.layer))
 * console.assert((await Effect.runPromise(Effect.provide(program, layer))).join() === "ApprovalRequest,ApprovalAnswer")
 * ```
 *
 * @stability experimental
 */
export const layerJournaled: Layer.Layer<Approver, never, Approver | Journal> = Layer.effect(
  Approver,
  Effect.flatMap(Approver, (approver) => journalRequests(ApprovalBranch, approver)),
)

/**
 * An approver whose questions are appended to the journal of the context, and answered by whoever serves it with
 * {@link serve}: an execution server, a console, another terminal.
 *
 * @example
 * ```ts
 * import { ApprovalRequest, Approver } from "@sluice/shell/spell"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * const question = ApprovalRequest.make({
 *   correlationId: "question-1",
 *   invocationId: "run-1/2/1/1",
 *   spell: "run_command",
 *   arguments: { command: "make" },
 *   about: "run make",
 *   suggestions: [],
 * })
 * const approver = Approver.layerDaemon({ acceptTimeout: "50 millis" }).pipe(Layer.provide(MemoryJournal.layer))
 * const program = Effect.flatMap(Approver.Approver, (approver) => Approver.askOne(approver, question))
 * const fault = await Effect.runPromise(Effect.flip(Effect.provide(program, approver)))
 * console.assert(fault._tag === "ApprovalFault") // nobody serves it
 * ```
 *
 * @stability experimental
 */
export const layerDaemon = (timeouts: ClientTimeouts = {}): Layer.Layer<Approver, OptionError, Journal> =>
  Layer.effect(Approver, requestDaemon(ApprovalBranch, timeouts))

/**
 * Makes a daemon that has the approver of the context answer the questions of the journal of the context.
 *
 * @example
 * ```ts
 * import { ApprovalRequest, Approver } from "@sluice/shell/spell"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * const question = ApprovalRequest.make({
 *   correlationId: "question-1",
 *   invocationId: "run-1/2/1/1",
 *   spell: "run_command",
 *   arguments: { command: "make" },
 *   about: "run make",
 *   suggestions: [],
 * })
 * const people = Approver.layer(Approver.make(() => Effect.succeed({ decision: "allow", by: "ada" })))
 * const program = Effect.gen(function* () {
 *   const daemon = yield* Effect.provide(Approver.serve(), people)
 *   yield* daemon.start
 *   return yield* Approver.askOne(yield* Approver.Approver, question)
 * }).pipe(Effect.scoped)
 * const layer = Approver.layerDaemon().pipe(Layer.provideMerge(MemoryJournal.layer))
 * console.assert((await Effect.runPromise(Effect.provide(program, layer))).by === "ada")
 * ```
 *
 * @stability experimental
 */
export const serve = (
  options: DaemonBaseOptions = {},
): Effect.Effect<Daemon, OptionError, Approver | Journal | Scope.Scope> =>
  Effect.flatMap(Approver, (approver) =>
    // People answer as many as they like at once; none must hold up the others.
    serveRequests(ApprovalBranch, approver, { concurrencyLimit: 256, ...options }))
