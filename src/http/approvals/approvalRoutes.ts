/** Makes the Hono app of `approvalRoutes`. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { runFork, runPromise, runSync, withLogLayer } from "../../base/stderrLogs.ts"
import { makeAuthenticator } from "../../auth/Authenticator.ts"
import { assumeValidOptions } from "../../base/attemptOptions.ts"
import { SharedTimeout } from "../SharedTimeout.ts"
import { type CorsHeaderNames, makeCors } from "../../server/makeCors.ts"
import { ApprovalReply, ApprovalRequest } from "../../spell/ApprovalBranch.ts"
import * as Approver from "../../spell/Approver.ts"
import { make as makeQuestions } from "../../spell/OpenQuestions.ts"
import { wireVersionHeader } from "../../wire/mod.ts"
import { jsonResponse, responseHeaders } from "../headers.ts"
import { problemResponse, refuse } from "../problem.ts"
import { readJson } from "../readJson.ts"
import { type AuthenticatedRequest, makeRequestGuard } from "../requestGuard.ts"
import { type ApprovalRoutes, type ApprovalRoutesOptions, checkApprovalOptions } from "./ApprovalRoutesOptions.ts"
import { approvalOperations } from "./approvalOperations.ts"

const corsHeaderNames: CorsHeaderNames = {
  allowed: ["authorization", "content-type", wireVersionHeader, "x-request-id"],
  exposed: ["retry-after", wireVersionHeader, "x-request-id"],
}

const bounds = { maxBodyBytes: 65_536, bodyTimeout: /* @__PURE__ */ new SharedTimeout(30_000) }
const maxHeaderBytes = 16_384

const encodeQuestion = Schema.encodeSync(ApprovalRequest)
const decodeReply = Schema.decodeUnknownResult(ApprovalReply, { onExcessProperty: "error" })

/**
 * Makes the routes by which people answer whether spells may be cast, with a token that has the right `approve`.
 *
 * - `GET /approvals` returns the waiting questions: `{ "approvals": [{ "correlationId", "spell", "arguments", "about",
 *   "suggestions", "asked", … }] }`, the oldest first.
 * - `POST /approvals/:id` answers one with an {@link ApprovalReply} as JSON: `{ "decision": "allow" }`, with `remember`
 *   (`"run"` or `"folder"`) and a `rule`, or `{ "decision": "deny", "reason": "…" }`. The name of the token is kept as
 *   `by`. 204; 404 when the question no longer waits.
 *
 * The questions are those that `questions` is asked, and with `server` or `journal` those of the journal, which a program
 * anywhere has appended with `Approver.layerDaemon`.
 *
 * @throws {OptionError} for an unknown option, and a token that is missing or cannot be sent in a header.
 *
 * @example
 * ```ts
 * import { approvalRoutes } from "@sluice/shell/http"
 *
 * await using approvals = approvalRoutes({ token: "s3cret" })
 * const response = await approvals.request("/approvals", { headers: { authorization: "Bearer s3cret" } })
 * console.log(response.status, await response.text()) // 200 {"approvals":[]}
 * ```
 */
export const approvalRoutes = (options: ApprovalRoutesOptions): ApprovalRoutes => {
  checkApprovalOptions(options)
  const questions = options.questions ?? runSync(assumeValidOptions(makeQuestions()))
  const cors = makeCors(options.cors, corsHeaderNames)
  const shared = options.server?.sharedServices
  const authenticator = options.server === undefined
    ? makeAuthenticator(options, ["approve"])
    : options.server.sharedServices.authenticator
  shared?.describeRoutes(approvalOperations)
  const counts = { count: shared?.countRequest ?? (() => {}) }
  const guard = makeRequestGuard({ authenticator, cors, counts, maxHeaderBytes, services: () => undefined })

  const journal = shared?.layer ?? options.journal
  const serving = journal === undefined ? Layer.empty : Layer.effectDiscard(
    Effect.flatMap(Approver.serve(), (daemon) => daemon.start),
  ).pipe(Layer.provide(Approver.layer(questions)), Layer.provide(journal))
  const runtime = ManagedRuntime.make(withLogLayer(serving))
  let isClosing = false
  const start = async (): Promise<void> => void await runtime.context()

  const whenServing =
    (answer: (request: AuthenticatedRequest) => Promise<Response>) =>
    async (request: AuthenticatedRequest): Promise<Response> => {
      if (isClosing) return problemResponse(refuse(503, "unavailable", "the server is shutting down"))
      try {
        await start()
      } catch (error) {
        runFork(Effect.logError("the approvals journal cannot be opened", error))
        return problemResponse(refuse(503, "unavailable", "the journal cannot be opened"))
      }
      return await answer(request)
    }

  const list = async (): Promise<Response> => {
    const open = await runPromise(questions.list)
    return jsonResponse({ approvals: open.map(({ asked, question }) => ({ ...encodeQuestion(question), asked })) })
  }

  const answer = async ({ c, grant }: AuthenticatedRequest): Promise<Response> => {
    const body = await readJson(c.req, bounds)
    if (Result.isFailure(body)) return problemResponse(body.failure)
    const reply = decodeReply(body.success)
    if (Result.isFailure(reply)) {
      return problemResponse(
        refuse(400, "invalid", `the body is not a reply to an approval request: ${reply.failure.message}`),
      )
    }
    const known = await runPromise(
      questions.answer(c.req.param("id") ?? "", { ...reply.success, by: grant.name }),
    )
    return known
      ? new Response(null, { status: 204, headers: responseHeaders })
      : problemResponse(refuse(404, "unknown-approval", "no open approval request has this id"))
  }

  const routes = guard.routes({
    "/approvals": { GET: guard.authenticated("approve", whenServing(list)) },
    "/approvals/:id": { POST: guard.authenticated("approve", whenServing(answer)) },
  })
  const dispose = async (): Promise<void> => {
    isClosing = true
    await runtime.dispose()
  }
  return Object.assign(routes, { questions, start, dispose, [Symbol.asyncDispose]: dispose })
}
