/**
 * Holds unanswered questions for approvers that answer later, over HTTP or on a page.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { attemptOptions } from "../base/attemptOptions.ts"
import { completeLater } from "../base/waits.ts"
import { type OptionError, requireCount } from "../base/OptionError.ts"
import {
  type ApprovalAnswer,
  ApprovalFault,
  type ApprovalReply,
  type ApprovalRequest,
  type ApproverService,
} from "./ApprovalBranch.ts"

/** A question that waits for an answer. */
export interface OpenQuestion {
  /** The question. */
  readonly question: ApprovalRequest
  /** When it was asked, in milliseconds since 1970. */
  readonly asked: number
}

/** An approver whose questions wait until they are answered or withdrawn. */
export interface OpenQuestions extends ApproverService {
  /** The questions that wait, the oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<OpenQuestion>>
  /** Answers a question by its id; `false` if no such question is waiting. */
  readonly answer: (correlationId: string, reply: ApprovalReply) => Effect.Effect<boolean>
}

/** Options of {@link make}. */
export interface OpenQuestionsOptions {
  /** Questions that wait at once; a further one fails, and its call is denied. Default: 1,000. */
  readonly maxOpen?: number | undefined
}

/**
 * Makes an approver without questions. Fails with an `OptionError` for a limit that is not a whole number from 1.
 *
 * @example
 * ```ts
 * import { ApprovalRequest, OpenQuestions } from "@sluice/shell/spell"
 * import { Effect, Fiber, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const questions = yield* OpenQuestions.make()
 *   const question = ApprovalRequest.make({
 *     correlationId: "c1/approval",
 *     invocationId: "c1",
 *     spell: "run_command",
 *     arguments: { command: "make" },
 *     about: "run_command make",
 *     suggestions: [],
 *   })
 *   const asking = yield* Effect.forkChild(Stream.runCollect(questions.request(question)), { startImmediately: true })
 *   console.log((yield* questions.list).length) // 1
 *   console.log(yield* questions.answer("c1/approval", { decision: "allow" })) // true
 *   return yield* Fiber.join(asking)
 * })
 * const [answer] = await Effect.runPromise(program)
 * console.log(answer?.decision) // allow
 * ```
 */
export const make = (
  { maxOpen = 1_000 }: OpenQuestionsOptions = {},
): Effect.Effect<OpenQuestions, OptionError> =>
  Effect.map(attemptOptions(() => requireCount("OpenQuestions", "maxOpen", maxOpen, { min: 1 })), makeQuestions)

const makeQuestions = (max: number): OpenQuestions => {
  const open = new Map<string, OpenQuestion & { readonly reply: Deferred.Deferred<ApprovalReply> }>()

  const fault = (correlationId: string, faultKind: ApprovalFault["faultKind"], what: string): ApprovalFault =>
    new ApprovalFault({ correlationId, faultKind, message: `approval: ${what}` })

  const ask = (question: ApprovalRequest): Effect.Effect<ApprovalAnswer, ApprovalFault> =>
    Effect.gen(function* () {
      const { correlationId } = question
      if (open.has(correlationId)) {
        return yield* Effect.fail(fault(correlationId, "AlreadyOpen", "a question with this id is already waiting"))
      }
      if (open.size >= max) {
        return yield* Effect.fail(fault(correlationId, "Busy", `${max} questions are already waiting`))
      }
      const reply = yield* Deferred.make<ApprovalReply>()
      const asked = yield* Clock.currentTimeMillis
      yield* Effect.acquireRelease(
        Effect.sync(() => void open.set(correlationId, { question, asked, reply })),
        () => Effect.sync(() => void open.delete(correlationId)),
      )
      return { _tag: "ApprovalAnswer" as const, correlationId, ...(yield* Deferred.await(reply)) }
    }).pipe(Effect.scoped)

  return {
    request: (question) => Stream.fromEffect(ask(question)),
    list: Effect.sync(() => [...open.values()].map(({ asked, question }) => ({ question, asked }))),
    answer: (correlationId, reply) =>
      Effect.suspend(() => {
        const waiting = open.get(correlationId)
        if (waiting === undefined) return Effect.succeed(false)
        // Answered only once: the waiting fiber resumes in a later turn.
        open.delete(correlationId)
        completeLater(waiting.reply, Effect.succeed(reply))
        return Effect.succeed(true)
      }),
  }
}
