/** Puts a question to an approver and waits for its answer. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type ApprovalAnswer, ApprovalFault, type ApprovalRequest, type ApproverService } from "./ApprovalBranch.ts"

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
