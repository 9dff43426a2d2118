/** Registers the spells of a book as MCP tools. */
import { CallToolResult, type InputRequired, type McpRequestContext, Tool } from "effect/ai/McpSchema"
import { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { aborted } from "../base/abort.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import { journalRequests } from "../branch/journalRequests.ts"
import { Files } from "../files/Files.ts"
import { Journal } from "../journal/JournalService.ts"
import { AccessPolicy } from "../policy/AccessPolicy.ts"
import type { AccessPolicyError } from "../policy/AccessPolicyError.ts"
import { Shell } from "../shell/Shell.ts"
import * as ApprovalPolicy from "../spell/ApprovalPolicy.ts"
import { Approver } from "../spell/Approver.ts"
import { castOne } from "../spell/castOne.ts"
import { CurrentProgress, progressShell } from "../spell/progressShell.ts"
import { service } from "../spell/castSpell.ts"
import type { Spellbook } from "../spell/makeSpellbook.ts"
import { SpellcastingBranch, type SpellcastingService } from "../spell/SpellcastingBranch.ts"
import { CurrentInput, elicitationApprover, type PendingInput, sessionMemory } from "./elicitationApprover.ts"
import { checkSpellOptions } from "./McpSpells.ts"
import { type McpToolOptions, toolOptionNames, type ToolSettings, toolSettings } from "./McpToolOptions.ts"
import { withAllowedTexts } from "./policyText.ts"
import { requestProgress } from "./requestProgress.ts"
import { runWithinLimits } from "./runWithinLimits.ts"
import { toolError } from "./toolError.ts"
import { isJsonObject, jsonSchemaOf } from "../base/jsonSchema.ts"
import type { Spell } from "../spell/Spell.ts"
import type { SpellFault } from "../spell/SpellEntry.ts"
import { toolSchema } from "../spell/toolSchema.ts"
import { toYaml } from "./toYaml.ts"

/** The result as text, and as structured content if it is an object: clients give a model one of them. */
const resultOf = (result: Schema.Json): CallToolResult => {
  const text = typeof result === "string" ? result : isJsonObject(result) ? toYaml(result) : JSON.stringify(result)
  return new CallToolResult({
    content: [{ type: "text", text }],
    ...(isJsonObject(result) ? { structuredContent: result } : undefined),
    isError: false,
  })
}

const faultOf = ({ failure, faultKind, message }: SpellFault): CallToolResult => toolError(faultKind, message, failure)

/** `read_file` as people read it: "Read file". */
const titleOf = (name: string): string => {
  const words = name.replace(/[-_]+/g, " ").trim()
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

const toolOf = (spell: Spell<string, unknown>): Tool => {
  const title = titleOf(spell.name)
  const output = jsonSchemaOf(spell.success, "ignore")
  return new Tool({
    name: spell.name,
    title,
    description: spell.description,
    inputSchema: { ...toolSchema(spell, "mcp"), type: "object" },
    // A tool with an output schema must answer an object.
    ...(output["type"] === "object" ? { outputSchema: { ...output, type: "object" } } : undefined),
    annotations: {
      title,
      readOnlyHint: spell.readOnly,
      destructiveHint: spell.destructive,
      idempotentHint: spell.idempotent,
    },
  })
}

/**
 * Options of {@link spellTools}. Of the other tools' options, `policy`, `window` and `signal` apply; others are refused.
 *
 * @stability experimental
 */
export interface SpellToolOptions extends McpToolOptions {
  /**
   * The policy that decides which calls are cast, asked about and denied. Asks the `Approver` of the context, or else
   * the client by elicitation; a client that cannot ask its user denies. A call that was allowed for the session is not
   * asked about again. Default: all are cast.
   */
  readonly approval?: ApprovalPolicy.ApprovalPolicy | undefined
}

/**
 * The spells of a book as tools: cast with the services of the context. A fault is an answer (`isError`) with its text, by
 * which the model can fix its call. Clients that send a `progressToken` get the output of commands as progress
 * notifications. Cancelling a request interrupts the spell, with all that it runs. With a `Journal` in the context,
 * invocations and results are in it.
 *
 * The layer fails for an unknown or invalid option, and if the shell cannot enforce the policy.
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { spellTools } from "@sluice/shell/mcp"
 * import { readFile, Spellbook, writeFile } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 * import { McpProtocol, McpTest } from "effect/ai"
 *
 * const program = Effect.gen(function* () {
 *   const tools = spellTools(Spellbook.make(readFile, writeFile)).pipe(Layer.provide(MemoryFileSystem.layer))
 *   const client = yield* McpTest.makeClient(tools, { protocols: [McpProtocol.v2025_11_25] })
 *   yield* client.callTool({ name: "write_file", arguments: { path: "a.txt", content: "hello" } })
 *   return yield* client.callTool({ name: "read_file", arguments: { path: "a.txt" } })
 * })
 * const { structuredContent } = await Effect.runPromise(Effect.scoped(program))
 * console.log(JSON.stringify(structuredContent).includes("hello")) // true
 * ```
 *
 * @stability experimental
 */
export const spellTools = <R>(
  book: Spellbook<R>,
  options: SpellToolOptions = {},
): Layer.Layer<never, OptionError | AccessPolicyError, McpServer | R> =>
  Layer.unwrap(Effect.map(
    attemptOptions(() => {
      refuseUnknownOptions("spellTools", options, { ...toolOptionNames, approval: true })
      checkSpellOptions("spellTools", { ...options, spells: book })
      return toolSettings(options)
    }),
    (settings) => spellToolsWith(book, settings, options.approval),
  ))

export const spellToolsWith = <R>(
  book: Spellbook<R>,
  settings: ToolSettings,
  approval: ApprovalPolicy.ApprovalPolicy | undefined,
): Layer.Layer<never, OptionError | AccessPolicyError, McpServer | R> =>
  Layer.effectDiscard(Effect.gen(function* () {
    const server = yield* McpServer
    const casting = yield* Effect.provide(service(book), yield* withProgress(yield* Effect.context<R>(), settings))
    const guarded = approval === undefined ? casting : yield* withApproval(casting, book, approval)
    const spells = yield* journaled(guarded)
    const cancelled = settings.signal === undefined ? Effect.never : Effect.as(
      aborted(settings.signal),
      toolError("Cancelled", "mcp: the server is shutting down and ended the call (CANCELLED)"),
    )
    const cast = (
      name: string,
      input: unknown,
    ): Effect.Effect<CallToolResult | InputRequired, never, McpRequestContext> =>
      Effect.gen(function* () {
        const pending: PendingInput = { required: undefined }
        const progress = yield* requestProgress(server)
        let isOpen = true
        const result = yield* castOne(spells, name, input).pipe(
          Effect.match({ onSuccess: resultOf, onFailure: faultOf }),
          Effect.provideService(
            CurrentProgress,
            // A process in the background outlives the request that started it.
            progress && ((message) => Effect.suspend(() => isOpen ? progress(message) : Effect.void)),
          ),
          Effect.provideService(CurrentInput, pending),
          Effect.raceFirst(cancelled),
          Effect.ensuring(Effect.sync(() => isOpen = false)),
        )
        return pending.required ?? result
      })
    for (const spell of book.spells.values()) {
      yield* server.addTool({
        tool: toolOf(spell),
        annotations: Context.empty(),
        handle: (input: unknown) => runWithinLimits(cast(spell.name, input)),
      })
    }
  }))

/** The services of spells, where a shell is guarded by the access policy and sends its output as progress. */
const withProgress = <R>(
  context: Context.Context<R>,
  { policy, window }: ToolSettings,
): Effect.Effect<Context.Context<R>, AccessPolicyError> =>
  Option.match(Context.getOption(context, Shell), {
    onNone: () => Effect.succeed(context),
    onSome: (shell) =>
      Effect.map(
        policy === undefined ? Effect.succeed(shell) : AccessPolicy.guardService(shell, policy),
        (allowed) => Context.add(context, Shell, progressShell(withAllowedTexts(allowed, policy), window)),
      ),
  })

/** The service, whose invocations and results are in the journal of the context, if there is one. */
const journaled = (spells: SpellcastingService): Effect.Effect<SpellcastingService> =>
  Effect.flatMap(
    Effect.serviceOption(Journal),
    Option.match({
      onNone: () => Effect.succeed(spells),
      onSome: (journal) => Effect.provideService(journalRequests(SpellcastingBranch, spells), Journal, journal),
    }),
  )

/** The service behind an approval policy, which asks the approver of the context or else the client of the request. */
const withApproval = (
  spells: SpellcastingService,
  book: Spellbook<unknown>,
  approval: ApprovalPolicy.ApprovalPolicy,
): Effect.Effect<SpellcastingService, OptionError> =>
  Effect.gen(function* () {
    const approver = Option.getOrElse(yield* Effect.serviceOption(Approver), () => elicitationApprover)
    const files = yield* Effect.serviceOption(Files)
    const options = { memory: sessionMemory() }
    // The type of spells that work on `Files` requires that service, so the context has it. The paths of other spells
    // are not paths of `Files`.
    const guarded = Option.match(files, {
      onNone: () => ApprovalPolicy.guardService(approval, book, { ...options, files: "none" })(spells),
      onSome: (files) =>
        Effect.provideService(ApprovalPolicy.guardService(approval, book, options)(spells), Files, files),
    })
    return yield* Effect.provideService(guarded, Approver, approver)
  })
