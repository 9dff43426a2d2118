/**
 * Decides which spells are cast, asked about or denied, by rules, and guards a spellcasting service with the decision.
 *
 * A policy determines what an agent may do without a question. The leaves enforce the outer limits: they keep paths
 * below their root and commands within an `AccessPolicy`.
 *
 * @module
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { completeLater } from "../base/waits.ts"
import { type DurationInput, durationOf } from "../base/duration.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { OptionError } from "../base/OptionError.ts"
import { type ApprovalFault, type ApprovalReply, type ApprovalRequest, askOne } from "./ApprovalBranch.ts"
import { type ApprovalMemory, type ApprovalScope, make as makeMemory } from "./ApprovalMemory.ts"
import { Files } from "../files/Files.ts"
import { ApprovalDecision, ApprovalRule, type CallPart, type InspectedCall } from "./ApprovalRule.ts"
import { aboutCall, suggestRules } from "./approvalQuestion.ts"
import { Approver } from "./Approver.ts"
import { brokenFault } from "./brokenFault.ts"
import { callParts } from "./callParts.ts"
import { markLinks } from "./markLinks.ts"
import { findUselessPart, matchesRule } from "./matchesRule.ts"
import { SpellFault, type SpellInvocation } from "./SpellEntry.ts"
import { inspect } from "./castSpell.ts"
import type { Spellbook } from "./makeSpellbook.ts"
import type { SpellcastingService } from "./SpellcastingBranch.ts"

const fields: {
  readonly rules: Schema.$Array<typeof ApprovalRule>
  readonly otherwise: Schema.optionalKey<typeof ApprovalDecision>
} = { rules: Schema.Array(ApprovalRule), otherwise: Schema.optionalKey(ApprovalDecision) }

/**
 * Decides which spells are cast, asked about or denied. Of the rules that match a part of a call (a path, a command)
 * the strictest decides: deny before ask before allow, whatever their order. If no rule matches, `otherwise` decides
 * (default: `"ask"`). A call is cast if all of its parts are allowed.
 */
export const ApprovalPolicy: Schema.Struct<typeof fields> = Schema.Struct(fields)

export interface ApprovalPolicy extends Schema.Schema.Type<typeof ApprovalPolicy> {}

const decodePolicy = Schema.decodeUnknownResult(ApprovalPolicy, { onExcessProperty: "error" })

/**
 * Makes a policy.
 *
 * @throws {OptionError} for an invalid policy, and for a rule that can match nothing: a call that it should stop would
 * not be stopped.
 *
 * @example
 * ```ts
 * import { ApprovalPolicy } from "@sluice/shell/spell"
 *
 * const policy = ApprovalPolicy.make({
 *   rules: [
 *     ...ApprovalPolicy.workspaceWrite.rules,
 *     { decision: "allow", command: "npm test *" },
 *     { decision: "deny", path: "secrets/**", reason: "secrets are not for models" },
 *   ],
 * })
 * const call = { spell: "run_command", readOnly: false, arguments: {} }
 * const test = { ...call, targets: [{ _tag: "Command", command: "npm", arguments: ["test"] }] } as const
 * console.log(ApprovalPolicy.decide(policy, test).decision) // allow
 * ```
 */
export const make = (policy: ApprovalPolicy): ApprovalPolicy => {
  const decoded = decodePolicy(policy)
  if (Result.isFailure(decoded)) throw new OptionError("policy", `ApprovalPolicy: ${decoded.failure.message}`)
  for (const [at, rule] of decoded.success.rules.entries()) {
    const useless = findUselessPart(rule)
    if (useless !== undefined) {
      throw new OptionError("policy", `ApprovalPolicy: rule ${at + 1} matches nothing: ${useless}`)
    }
  }
  return decoded.success
}

/**
 * Reading is allowed; everything else is denied.
 *
 * @example
 * ```ts
 * import { ApprovalPolicy } from "@sluice/shell/spell"
 *
 * console.log(ApprovalPolicy.readOnly.otherwise) // deny
 * ```
 */
export const readOnly: ApprovalPolicy = {
  rules: [{ decision: "allow", readOnly: true }],
  otherwise: "deny",
}

/**
 * Reading is allowed; everything else is asked about.
 *
 * @example
 * ```ts
 * import { ApprovalPolicy } from "@sluice/shell/spell"
 *
 * console.log(ApprovalPolicy.ask.otherwise) // ask
 * ```
 */
export const ask: ApprovalPolicy = { rules: [{ decision: "allow", readOnly: true }], otherwise: "ask" }

/**
 * Files of the workspace may be read and written. The user is asked about commands and everything else, also about
 * changes in `.git`, whose settings and hooks name programs that git runs.
 *
 * @example
 * ```ts
 * import { ApprovalPolicy } from "@sluice/shell/spell"
 *
 * console.log(ApprovalPolicy.workspaceWrite.otherwise) // ask
 * ```
 */
export const workspaceWrite: ApprovalPolicy = {
  rules: [
    { decision: "allow", readOnly: true },
    { decision: "allow", path: "**" },
    { decision: "ask", readOnly: false, path: "**/.git" },
    { decision: "ask", readOnly: false, path: "**/.git/**" },
  ],
  otherwise: "ask",
}

/**
 * Everything is allowed.
 *
 * @example
 * ```ts
 * import { ApprovalPolicy } from "@sluice/shell/spell"
 *
 * console.log(ApprovalPolicy.full.otherwise) // allow
 * ```
 */
export const full: ApprovalPolicy = { rules: [], otherwise: "allow" }

/** A decision, and the rule that made it; no rule if `otherwise` decided. */
export interface DecidedCall {
  /** The decision about the call. */
  readonly decision: ApprovalDecision
  /** The rule that decided. */
  readonly rule?: ApprovalRule | undefined
  /** The parts of the call that are asked about. */
  readonly asked: ReadonlyArray<CallPart>
}

const strictness: Readonly<Record<ApprovalDecision, number>> = { allow: 0, ask: 1, deny: 2 }

const stricter = <A extends { readonly decision: ApprovalDecision }>(one: A, other: A): A =>
  strictness[other.decision] > strictness[one.decision] ? other : one

const decidePart = (
  { otherwise = "ask", rules }: ApprovalPolicy,
  remembered: ReadonlyArray<ApprovalRule>,
  call: InspectedCall,
  part: CallPart,
): { readonly decision: ApprovalDecision; readonly rule?: ApprovalRule } => {
  const [first, ...others] = rules.filter((rule) => matchesRule(rule, call, part))
  const rule = first === undefined ? undefined : others.reduce(stricter, first)
  const decision = rule?.decision ?? otherwise
  // A remembered answer replaces a question, but never a denial.
  const known = decision === "ask" ? remembered.find((each) => matchesRule(each, call, part)) : undefined
  if (known !== undefined) return { decision: "allow", rule: known }
  return rule === undefined ? { decision } : { decision, rule }
}

/**
 * Decides about a call by its text and the remembered answers. Only {@link guardService} checks whether paths lead
 * through links.
 *
 * @example
 * ```ts
 * import { ApprovalPolicy } from "@sluice/shell/spell"
 *
 * const policy = ApprovalPolicy.make({ rules: [{ decision: "allow", command: "git status *" }] })
 * const decided = ApprovalPolicy.decide(policy, {
 *   spell: "run_script",
 *   readOnly: false,
 *   arguments: {},
 *   targets: [{ _tag: "Script", script: "git status -s; rm -rf build" }],
 * })
 * // One of its commands is not allowed, so the user is asked about that.
 * console.log(decided.decision, decided.asked.length) // ask 1
 * ```
 */
export const decide = (
  policy: ApprovalPolicy,
  call: InspectedCall,
  remembered: ReadonlyArray<ApprovalRule> = [],
): DecidedCall => {
  const allowing = remembered.filter(({ decision }) => decision === "allow")
  return decideParts(callParts(call), (part) => decidePart(policy, allowing, call, part))
}

const decideParts = (
  parts: ReadonlyArray<CallPart>,
  decideOne: (part: CallPart) => ReturnType<typeof decidePart>,
): DecidedCall => {
  const decided = parts.map((part) => ({ part, ...decideOne(part) }))
  const asked = decided.filter(({ decision }) => decision === "ask").map(({ part }) => part)
  const { decision, rule } = decided.reduce(stricter)
  return { decision, rule, asked }
}

/** Options of {@link guardService}. */
export interface ApprovalGuardOptions {
  /** Maximum time that a question waits for its answer; then the call is denied. Default: 5 minutes. */
  readonly timeout?: DurationInput | undefined
  /** Permissions for more than one call. Default: a memory of this guard. */
  readonly memory?: ApprovalMemory | undefined
  /**
   * `"none"` if no `Files` has the paths of the calls: then links are not checked. Default: the `Files` of the context.
   */
  readonly files?: "none" | undefined
}

const denied = ({ correlationId, name }: SpellInvocation, why: string): SpellFault =>
  new SpellFault({
    correlationId,
    spell: name,
    faultKind: "Denied",
    message:
      `${name}: this call was denied: ${why}. Do not repeat it unchanged; find another way, or say why you need it`,
  })

const describeFault = ({ faultKind, message }: ApprovalFault): string =>
  faultKind === "CannotAsk" ? message.replace(/^approval: /, "") : `no one could be asked (${message})`

const describeRule = ({ rule }: DecidedCall): string =>
  rule?.reason ?? (rule === undefined ? "the policy does not allow it" : "a rule of the policy forbids it")

/**
 * Guards a service: each call is decided on its decoded arguments, and those are what is cast. A call that is asked about
 * waits for the `Approver` of the context; when the answer to another call is remembered meanwhile and allows this one too,
 * its question is taken back. A denied call fails with `Denied`, and a message for the model. The `Files` of the
 * context are asked whether a path leads through a link, where that counts. Where the spells have no files, say so
 * (`files: "none"`).
 *
 * In a program that journals its spells, guard the service that casts, and journal the guarded one: an invocation that was
 * answered is then not asked about again.
 *
 * @example
 * ```ts
 * import { Files, MemoryFileSystem } from "@sluice/shell/files"
 * import { ApprovalPolicy, Approver, Spellbook, writeFile } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * const book = Spellbook.make(writeFile)
 * const program = Effect.gen(function* () {
 *   const guard = ApprovalPolicy.guardService(ApprovalPolicy.ask, book, { timeout: "1 minute" })
 *   const spells = yield* guard(yield* Spellbook.service(book))
 *   yield* Spellbook.castWith(spells, "write_file", { path: "a.txt", content: "hello" })
 *   return yield* Files.readText("a.txt")
 * })
 * const approver = Approver.make(({ about }) =>
 *   Effect.succeed({ decision: about === "write_file a.txt" ? "allow" : "deny" })
 * )
 * const layer = Layer.merge(MemoryFileSystem.layer, Approver.layer(approver))
 * console.log(await Effect.runPromise(Effect.provide(program, layer))) // hello
 * ```
 */
export function guardService(
  policy: ApprovalPolicy,
  book: Spellbook<unknown>,
  options: ApprovalGuardOptions & { readonly files: "none" },
): (spells: SpellcastingService) => Effect.Effect<SpellcastingService, OptionError, Approver>
/** Guards a service whose spells may use files: asks the `Files` of the context about links. */
export function guardService(
  policy: ApprovalPolicy,
  book: Spellbook<unknown>,
  options?: ApprovalGuardOptions,
): (spells: SpellcastingService) => Effect.Effect<SpellcastingService, OptionError, Approver | Files>
export function guardService(
  policy: ApprovalPolicy,
  book: Spellbook<unknown>,
  options: ApprovalGuardOptions = {},
): (spells: SpellcastingService) => Effect.Effect<SpellcastingService, OptionError, Approver | Files> {
  return Effect.fnUntraced(function* (spells) {
    const approver = yield* Approver
    const files = options.files === "none" ? undefined : yield* Files
    const { checked, memory, timeout } = yield* attemptOptions(() => ({
      checked: make(policy),
      timeout: durationOf("timeout", options.timeout ?? "5 minutes"),
      memory: options.memory ?? makeMemory(),
    }))

    /** Completes when a rule is remembered. */
    let remembered = Deferred.makeUnsafe<void>()
    const remember = (rules: ReadonlyArray<ApprovalRule>, scope: ApprovalScope): Effect.Effect<void> =>
      Effect.ensuring(
        Effect.forEach(rules, (rule) => memory.remember(rule, scope), { discard: true }),
        Effect.sync(() => {
          const before = remembered
          remembered = Deferred.makeUnsafe()
          completeLater(before, Effect.void)
        }),
      )

    const question = (
      invocation: SpellInvocation,
      call: InspectedCall,
      asked: DecidedCall["asked"],
    ): ApprovalRequest => {
      const timeoutMillis = Duration.toMillis(timeout)
      const linked = asked.flatMap(({ isLinked, path }) => isLinked === true && path !== undefined ? [path] : [])
      return {
        _tag: "ApprovalRequest",
        correlationId: `${invocation.correlationId}/approval`,
        invocationId: invocation.correlationId,
        spell: call.spell,
        arguments: call.arguments,
        about: aboutCall(call, linked),
        suggestions: suggestRules(call, asked),
        ...(Number.isFinite(timeoutMillis) ? { timeoutMillis } : undefined),
      }
    }

    const obey = (
      invocation: SpellInvocation,
      asked: ApprovalRequest,
      { decision, reason, remember: scope, rule }: ApprovalReply,
    ): Effect.Effect<void, SpellFault> => {
      if (decision === "deny") return Effect.fail(denied(invocation, reason ?? "the user denied it"))
      if (scope === undefined) return Effect.void
      const rules = rule === undefined ? asked.suggestions : [rule]
      return remember(rules.filter((each) => each.decision === "allow"), scope)
    }

    const decideNow = (invocation: SpellInvocation, call: InspectedCall): Effect.Effect<DecidedCall> =>
      Effect.gen(function* () {
        const rules = (yield* memory.rules).filter(({ decision }) => decision === "allow")
        const decideOne = (part: CallPart) => decidePart(checked, rules, call, part)
        const counts = (part: CallPart) => decideOne(part).decision !== decideOne({ ...part, isLinked: true }).decision
        const parts = files === undefined
          ? callParts(call)
          : yield* markLinks(files, `${invocation.correlationId}/approval`, callParts(call), counts)
        return decideParts(parts, decideOne)
      })

    /**
     * Waits until a remembered answer allows a call. `since` was taken before the rules were read that did not allow
     * it.
     */
    const untilAllowed = (
      invocation: SpellInvocation,
      call: InspectedCall,
      since: Deferred.Deferred<void>,
    ): Effect.Effect<undefined> =>
      Effect.gen(function* () {
        for (let changed = since;;) {
          yield* Deferred.await(changed)
          changed = remembered
          if ((yield* decideNow(invocation, call)).decision === "allow") return undefined
        }
      })

    const approve = (invocation: SpellInvocation, call: InspectedCall): Effect.Effect<void, SpellFault> =>
      Effect.gen(function* () {
        const since = remembered
        const decided = yield* decideNow(invocation, call)
        if (decided.decision === "allow") return
        if (decided.decision === "deny") return yield* Effect.fail(denied(invocation, describeRule(decided)))
        const asked = question(invocation, call, decided.asked)
        const answer = yield* askOne(approver, asked).pipe(
          Effect.mapError((fault) => denied(invocation, describeFault(fault))),
          Effect.raceFirst(untilAllowed(invocation, call, since)),
          Effect.timeoutOption(timeout),
        )
        if (Option.isNone(answer)) {
          return yield* Effect.fail(denied(invocation, `no answer within ${Duration.format(timeout)}`))
        }
        if (answer.value !== undefined) yield* obey(invocation, asked, answer.value)
      })

    // The decision is about the arguments as the spell will decode them, which may differ from those that were sent.
    const look = (invocation: SpellInvocation) =>
      Effect.suspend(() =>
        Effect.fromResult(
          Result.flatMap(
            inspect(book, invocation),
            ({ arguments: input }) =>
              Result.map(inspect(book, { ...invocation, arguments: input }), (call) => ({ ...call, arguments: input })),
          ),
        )
      ).pipe(Effect.catchDefect((defect) => brokenFault(invocation, defect)))

    return {
      request: (invocation, content) =>
        Stream.unwrap(Effect.gen(function* () {
          const call = yield* look(invocation)
          yield* approve(invocation, call)
          return spells.request({ ...invocation, arguments: call.arguments }, content)
        })),
    }
  })
}
