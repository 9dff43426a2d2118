/**
 * Declares the `Approver` service, which answers whether a spell may be cast, and makes layers of it: from a function, from
 * several approvers of which the first answers, with its questions in a journal, and by a daemon on a journal.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { OptionError } from "../base/OptionError.ts"
import type { ClientTimeouts } from "../branch/Client.ts"
import type { Daemon } from "../branch/Daemon.ts"
import type { DaemonBaseOptions } from "../branch/DaemonOptions.ts"
import { serveRequests } from "../branch/serveRequests.ts"
import { type ServiceLayers, serviceLayers } from "../branch/serviceLayers.ts"
import type { Journal } from "../journal/JournalService.ts"
import {
  type ApprovalAnswer,
  ApprovalBranch,
  ApprovalFault,
  type ApprovalReply,
  type ApprovalRequest,
  type ApproverService,
  askOne,
} from "./ApprovalBranch.ts"

const Base: Context.ServiceClass<Approver, "@sluice/shell/Approver", ApproverService> = Context.Service<
  Approver,
  ApproverService
>()("@sluice/shell/Approver")

/** Answers whether a spell may be cast. */
export class Approver extends Base {}

const layers: ServiceLayers<Approver> = /* @__PURE__ */ serviceLayers(ApprovalBranch, Approver)

/**
 * The fault of an approver that cannot ask a question, because it has no terminal or no client. If there are several
 * approvers, the others still decide; if none can ask, the call is denied with their messages. `faultKind` is
 * `CannotAsk`.
 *
 * @example
 * ```ts
 * import { ApprovalRequest, Approver } from "@sluice/shell/spell"
 *
 * const call = { spell: "run_command", arguments: { command: "make" }, about: "run_command make", suggestions: [] }
 * const question = ApprovalRequest.make({ correlationId: "c1/approval", invocationId: "c1", ...call })
 * console.log(Approver.cannotAsk(question, "the pager is switched off").faultKind) // CannotAsk
 * ```
 */
export const cannotAsk = ({ correlationId }: ApprovalRequest, why: string): ApprovalFault =>
  new ApprovalFault({ correlationId, faultKind: "CannotAsk", message: `approval: ${why}` })

/**
 * Makes an approver from a function that answers a question, in any time, or fails with {@link cannotAsk}. The function
 * is interrupted when the question is withdrawn, or its caller is interrupted.
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
 *   const guard = ApprovalPolicy.guardService(ApprovalPolicy.ask, book, { files: "none" })
 *   const spells = yield* guard(yield* Spellbook.service(book))
 *   return yield* Effect.flip(Spellbook.castWith(spells, "sing", {}))
 * })
 * const fault = await Effect.runPromise(Effect.provideService(program, Approver.Approver, approver))
 * console.log(fault.faultKind === "Denied" && fault.message.includes("it is late")) // true
 * ```
 */
export const make = (
  answer: (question: ApprovalRequest) => Effect.Effect<ApprovalReply, ApprovalFault>,
): ApproverService => ({
  request: (question) =>
    Stream.fromEffect(Effect.map(answer(question), (reply): ApprovalAnswer => ({
      _tag: "ApprovalAnswer",
      correlationId: question.correlationId,
      ...reply,
    }))),
})

/**
 * Asks several approvers at once; the first answer decides, and the question is withdrawn from the others. Approvers that
 * cannot ask are skipped; if none can, the fault says why.
 *
 * @example
 * ```ts
 * import { Approver, OpenQuestions } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * const terminal = Approver.make(() => Effect.succeed({ decision: "allow" }))
 * // Asked in both places; the first answer counts.
 * const both = Effect.map(OpenQuestions.make(), (page) => Approver.first(page, terminal))
 * const layer = Layer.effect(Approver.Approver, both)
 * console.log(Layer.isLayer(layer)) // true
 * ```
 */
export const first = (...approvers: ReadonlyArray<ApproverService>): ApproverService => ({
  request: (question) =>
    Stream.fromEffect(Effect.suspend(() => {
      if (approvers.length === 0) return Effect.fail(cannotAsk(question, "there is no approver"))
      const faults: Array<ApprovalFault> = []
      const asked = approvers.map((approver) =>
        Effect.tapError(askOne(approver, question), (fault) => Effect.sync(() => void faults.push(fault)))
      )
      return Effect.mapError(Effect.raceAll(asked), (fault) =>
        faults.length < 2 ? fault : cannotAsk(
          question,
          faults.map(({ message }) => message.replace(/^approval: /, "")).join("; "),
        ))
    })),
})

/**
 * A layer of an approver.
 *
 * @example
 * ```ts
 * import { Approver } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const layer = Approver.layer(Approver.make(() => Effect.succeed({ decision: "deny" })))
 * const approver = await Effect.runPromise(Effect.provide(Effect.service(Approver.Approver), layer))
 * console.log(typeof approver.request) // function
 * ```
 */
export const layer = (approver: ApproverService): Layer.Layer<Approver> => Layer.succeed(Approver, approver)

/**
 * The approver of the context, with each question and its answer in the journal of the context.
 *
 * @example
 * ```ts
 * import { Approver } from "@sluice/shell/spell"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * const people = Approver.layer(Approver.make(() => Effect.succeed({ decision: "allow" })))
 * const layer = Approver.layerJournaled.pipe(Layer.provide(people), Layer.provideMerge(MemoryJournal.layer))
 * console.log(Layer.isLayer(layer)) // true
 * ```
 */
export const layerJournaled: Layer.Layer<Approver, never, Approver | Journal> = layers.journaled

/**
 * An approver whose questions are appended to the journal of the context, and answered by a process that serves it with
 * {@link serve}: an execution server, a console, another terminal. Any process that can write to that journal can answer:
 * keep it where the spells cannot write.
 *
 * @example
 * ```ts
 * import { Approver } from "@sluice/shell/spell"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Layer } from "effect"
 *
 * const layer = Approver.layerDaemon.pipe(Layer.provide(MemoryJournal.layer))
 * console.log(Layer.isLayer(layer)) // true
 * ```
 */
export const layerDaemon: Layer.Layer<Approver, never, Journal> = layers.client

/**
 * {@link layerDaemon} with options. Fails with an `OptionError` for an invalid option.
 *
 * @example
 * ```ts
 * import { Approver } from "@sluice/shell/spell"
 * import { Layer } from "effect"
 *
 * console.log(Layer.isLayer(Approver.layerDaemonWith({ acceptTimeout: "1 hour" }))) // true
 * ```
 */
export const layerDaemonWith: (timeouts: ClientTimeouts) => Layer.Layer<Approver, OptionError, Journal> =
  layers.clientWith

/**
 * Makes a daemon that has the approver of the context answer the questions of the journal of the context.
 *
 * @example
 * ```ts
 * import { ApprovalRequest, Approver } from "@sluice/shell/spell"
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const question = ApprovalRequest.make({
 *   correlationId: "c1/approval",
 *   invocationId: "c1",
 *   spell: "run_command",
 *   arguments: { command: "make" },
 *   about: "run_command make",
 *   suggestions: [],
 * })
 * const people = Approver.layer(Approver.make(() => Effect.succeed({ decision: "allow" })))
 * const program = Effect.gen(function* () {
 *   // In another program: a server, a console, another terminal.
 *   const daemon = yield* Effect.provide(Approver.serve(), people)
 *   yield* daemon.start
 *   yield* Stream.runDrain((yield* Approver.Approver).request(question))
 *   return (yield* Journal.read({ filter: { tags: ["ApprovalAnswer"] } })).length
 * })
 * const layer = Approver.layerDaemon.pipe(Layer.provideMerge(MemoryJournal.layer))
 * console.log(await Effect.runPromise(Effect.provide(Effect.scoped(program), layer))) // 1
 * ```
 */
export const serve = (
  options: DaemonBaseOptions = {},
): Effect.Effect<Daemon, OptionError, Approver | Journal | Scope.Scope> =>
  Effect.flatMap(Approver, (approver) =>
    // People may answer any number of questions at once; no question may delay another.
    serveRequests(ApprovalBranch, approver, { maxConcurrency: 256, ...options }))
