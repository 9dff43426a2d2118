/**
 * Asks the client of the current MCP request whether a spell may be cast (MCP 2025-11-25, Elicitation), and remembers
 * its answers for its session.
 */
import {
  ElicitRequestFormParams,
  InputRequired,
  type McpInputRequest,
  McpRequestContext,
  McpServerClient,
} from "effect/ai/McpSchema"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { canonicalJson } from "../base/canonicalJson.ts"
import { sha256 } from "../base/sha256.ts"
import type { ApprovalFault, ApprovalReply, ApprovalRequest, ApproverService } from "../spell/ApprovalBranch.ts"
import { type ApprovalMemory, make as makeMemory } from "../spell/ApprovalMemory.ts"
import { cannotAsk, make as makeApprover } from "../spell/Approver.ts"

/** Questions that a client without a session must answer before it repeats its call. */
export interface PendingInput {
  required: InputRequired | undefined
}

export const CurrentInput: Context.Reference<PendingInput | undefined> = Context.Reference<PendingInput | undefined>(
  "sluice/mcp/CurrentInput",
  { defaultValue: () => undefined },
)

const allow = "allow"
const allowInSession = "allow in this session"
const refuse = "deny"

/** A person's answer in the form of a client. */
const Reply = Schema.Struct({
  action: Schema.Literals(["accept", "decline", "cancel"]),
  content: Schema.optional(Schema.Struct({
    decision: Schema.String,
    reason: Schema.optional(Schema.String),
  })),
})

const decodeReply = Schema.decodeUnknownOption(Reply)

const deny = (reason: string): ApprovalReply => ({ decision: "deny", reason })

const replyOf = (answer: unknown): ApprovalReply => {
  const decoded = decodeReply(answer)
  if (Option.isNone(decoded)) return deny("the client gave no answer to the question")
  const { action, content } = decoded.value
  if (action === "cancel") return deny("the user dismissed the question")
  if (action === "decline" || content === undefined) return deny("the user declined")
  const { decision, reason } = content
  switch (decision.trim().toLowerCase()) {
    case allow:
      return { decision: "allow" }
    case allowInSession:
      return { decision: "allow", remember: "run" }
    case refuse:
      return { decision: "deny", ...(reason === undefined || reason === "" ? undefined : { reason }) }
    default:
      return deny("the answer was not understood")
  }
}

/** The form of a question. Only a session remembers answers, and only those that a rule can express. */
const formOf = ({ about, suggestions }: ApprovalRequest, hasSession: boolean) => {
  const choices = [allow, ...hasSession && suggestions.length > 0 ? [allowInSession] : [], refuse]
  return {
    mode: "form" as const,
    message: `May the model run this? ${about}`,
    requestedSchema: {
      type: "object" as const,
      properties: {
        decision: {
          type: "string" as const,
          title: "Decision",
          // Earlier revisions drop the list of values, and their clients show a text field.
          description: `One of: ${choices.join(", ")}`,
          // The form of enumerations that all revisions have.
          enum: choices,
        },
        reason: { type: "string" as const, title: "Reason", description: "If denied: the reason for the model" },
      },
      required: ["decision"],
    },
  }
}

/** The key of a question: an answer counts only for a call with the same arguments. */
const keyOf = ({ arguments: input, spell }: ApprovalRequest): string =>
  `approve-${spell}-${sha256(canonicalJson(input)).slice(0, 32)}`

/** Asks while the call waits: protocols with sessions, whose servers send requests. */
const askNow = (
  client: McpServerClient["Service"],
  question: ApprovalRequest,
): Effect.Effect<ApprovalReply, ApprovalFault> =>
  Effect.flatMap(client.getClient, ({ elicit }) => elicit(new ElicitRequestFormParams(formOf(question, true)))).pipe(
    Effect.map(replyOf),
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logWarning("a client could not be asked", cause),
        Effect.fail(cannotAsk(question, "the client could not be asked")),
      )
    ),
    Effect.scoped,
  )

/** Takes the answer that came with the call, or makes the call ask for it: protocols without sessions. */
const askByRepetition = (
  { inputResponses }: McpRequestContext["Service"],
  pending: PendingInput,
  question: ApprovalRequest,
): ApprovalReply => {
  const key = keyOf(question)
  const answer = inputResponses?.[key]
  if (answer !== undefined) return replyOf(answer)
  const request: McpInputRequest = { method: "elicitation/create", params: formOf(question, false) }
  pending.required = new InputRequired({ inputRequests: { [key]: request } })
  return deny("the client has not answered yet")
}

/**
 * Asks the client of the current request by elicitation. Outside of a request, and for a client without form elicitation, it
 * fails because it cannot ask: `Approver.first` then skips it, and alone it denies the call. `spellTools` asks it where its
 * context has no other `Approver`.
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { elicitationApprover } from "@sluice/shell/mcp"
 * import { mcpRoutes } from "@sluice/shell/mcp/http"
 * import { ApprovalPolicy, Approver, Spellbook, writeFile } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * // The client's user and a rule of this program: the first that answers decides.
 * const rule = Approver.make(({ about }) =>
 *   about.endsWith(".env") ? Effect.succeed({ decision: "deny", reason: "no secrets" }) : Effect.never
 * )
 * const approver = Approver.layer(Approver.first(elicitationApprover, rule))
 * const layer = Layer.merge(MemoryFileSystem.layer, approver)
 * const spells = Spellbook.make(writeFile)
 * await using mcp = mcpRoutes({ spells, layer, token: "s3cret", approval: ApprovalPolicy.ask })
 * console.log((await mcp.request("http://localhost/mcp", { method: "POST" })).status) // 401
 * ```
 *
 * @stability experimental
 */
export const elicitationApprover: ApproverService = makeApprover((question) =>
  Effect.gen(function* () {
    const context = yield* Effect.serviceOption(McpRequestContext)
    if (Option.isNone(context)) return yield* Effect.fail(cannotAsk(question, "there is no MCP client to ask"))
    const { elicitation } = context.value.clientCapabilities
    if (elicitation === undefined || (elicitation.form === undefined && elicitation.url !== undefined)) {
      return yield* Effect.fail(
        cannotAsk(question, "this client cannot ask its user: it does not support form elicitation"),
      )
    }
    const client = yield* Effect.serviceOption(McpServerClient)
    if (Option.isSome(client)) return yield* askNow(client.value, question)
    const pending = yield* CurrentInput
    if (pending === undefined) return yield* Effect.fail(cannotAsk(question, "there is no tool call to ask for"))
    return askByRepetition(context.value, pending, question)
  })
)

/** A memory of the approvals of each session, which ends with the session. */
export const sessionMemory = (): ApprovalMemory => {
  const memories = new WeakMap<object, ApprovalMemory>()
  const current: Effect.Effect<ApprovalMemory> = Effect.map(
    Effect.serviceOption(McpServerClient),
    Option.match({
      onNone: makeMemory,
      onSome: ({ initializePayload }) => {
        const memory = memories.get(initializePayload) ?? makeMemory()
        memories.set(initializePayload, memory)
        return memory
      },
    }),
  )
  return {
    rules: Effect.flatMap(current, ({ rules }) => rules),
    remember: (rule, scope) => Effect.flatMap(current, ({ remember }) => remember(rule, scope)),
  }
}
