/**
 * Remembers approvals beyond one call: for a run, in memory or from its journal, and for a folder, in a file that the caller
 * names.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { FileFault } from "../files/FileFault.ts"
import { Files } from "../files/Files.ts"
import type { FilesService } from "../files/FilesService.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"
import { type ApprovalAnswer, ApprovalBranch, type ApprovalRequest } from "./ApprovalBranch.ts"
import { ApprovalRule } from "./ApprovalRule.ts"

/** The scope in which an answer is remembered: this run, or this folder. */
export type ApprovalScope = "run" | "folder"

/** Permissions for more than one call. */
export interface ApprovalMemory {
  /** The rules that are remembered. */
  readonly rules: Effect.Effect<ReadonlyArray<ApprovalRule>>
  /** Remembers a rule. A memory of runs only remembers it for the run, whatever the scope. */
  readonly remember: (rule: ApprovalRule, scope: ApprovalScope) => Effect.Effect<void>
}

/** Maximum number of rules in one memory; calls under later rules are asked about again. */
const maxRules = 1_000

const added = (rules: ReadonlyArray<ApprovalRule>, rule: ApprovalRule): ReadonlyArray<ApprovalRule> => {
  const text = JSON.stringify(rule)
  return rules.length >= maxRules || rules.some((known) => JSON.stringify(known) === text) ? rules : [...rules, rule]
}

/**
 * Makes a memory for one run, with initial rules.
 *
 * @example
 * ```ts
 * import { ApprovalMemory } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const memory = ApprovalMemory.make()
 * await Effect.runPromise(memory.remember({ decision: "allow", command: "npm test" }, "run"))
 * console.log((await Effect.runPromise(memory.rules)).length) // 1
 * ```
 */
export const make = (known: ReadonlyArray<ApprovalRule> = []): ApprovalMemory => {
  let rules = known.reduce(added, [])
  return {
    rules: Effect.sync(() => rules),
    remember: (rule) => Effect.sync(() => void (rules = added(rules, rule))),
  }
}

const entriesAtOnce = 1_000

/** The rules that an answer to a question has remembered for its run. */
const remembered = ({ decision, remember, rule }: ApprovalAnswer, question: ApprovalRequest | undefined) =>
  decision !== "allow" || remember !== "run" ? [] : rule === undefined ? question?.suggestions ?? [] : [rule]

/**
 * Makes a memory for a resumed run, with the approvals in the journal of the context. Any process that can write to that
 * journal can answer: keep it where the spells cannot write.
 *
 * @example
 * ```ts
 * import { ApprovalMemory } from "@sluice/shell/spell"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const memory = await Effect.runPromise(Effect.provide(ApprovalMemory.recorded("run-1"), MemoryJournal.layer))
 * console.log((await Effect.runPromise(memory.rules)).length) // 0
 * ```
 */
export const recorded = (run: string): Effect.Effect<ApprovalMemory, JournalError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const { event, name, request } = ApprovalBranch
    const filter = { branch: name, tags: [...request.tags, ...event.tags] }
    const questions = new Map<string, ApprovalRequest>()
    let rules: ReadonlyArray<ApprovalRule> = []
    for (let after = 0;;) {
      const entries = yield* journal.read({ after, filter, maxEntries: entriesAtOnce })
      for (const { body, correlationId, position, tag, version } of entries) {
        after = position
        if (body === undefined || !correlationId.startsWith(`${run}/`)) continue
        if (request.tags.includes(tag)) {
          const question = request.decode(body, version)
          if (Result.isSuccess(question)) questions.set(correlationId, question.success)
          continue
        }
        const answer = event.decode(body, version)
        if (Result.isFailure(answer) || answer.success._tag !== "ApprovalAnswer") continue
        const allowed = remembered(answer.success, questions.get(correlationId))
        questions.delete(correlationId)
        rules = allowed.filter(({ decision }) => decision === "allow").reduce(added, rules)
      }
      if (entries.length < entriesAtOnce) return make(rules)
    }
  })

const Stored = Schema.fromJsonString(Schema.Struct({ rules: Schema.Array(ApprovalRule) }))
const decodeStored = Schema.decodeUnknownEffect(Stored, { onExcessProperty: "error" })

const fileFault = (path: string, what: string): FileFault =>
  new FileFault({ correlationId: "approvals", faultKind: "IoError", path, message: `approvals: ${path}: ${what}` })

/**
 * Makes a memory whose rules for the folder are in a JSON file, which is read now, and to which each new rule is added. Keep
 * it where the spells cannot write: outside of the workspace. A missing file has no rules; an unreadable one fails, so that
 * nothing is allowed by mistake. `run`: the initial rules for the run. Default: none.
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { ApprovalMemory } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   // In a program: a LocalFileSystem of the user's settings, outside of the workspace.
 *   const settings = yield* MemoryFileSystem.make()
 *   const memory = yield* ApprovalMemory.file(settings, "approvals.json")
 *   yield* memory.remember({ decision: "allow", command: "npm test" }, "folder")
 *   return yield* (yield* ApprovalMemory.file(settings, "approvals.json")).rules
 * })
 * console.log((await Effect.runPromise(program)).length) // 1
 * ```
 */
export const file = (
  files: FilesService,
  path: string,
  run: ApprovalMemory = make(),
): Effect.Effect<ApprovalMemory, FileFault> =>
  Effect.gen(function* () {
    const within = Effect.provideService(Files, files)
    const read = Files.readText(path).pipe(
      Effect.catchIf((fault) => fault.faultKind === "NotFound", () => Effect.succeed(`{"rules":[]}`)),
      within,
      Effect.flatMap((text) =>
        Effect.mapError(
          decodeStored(text),
          ({ message }) => fileFault(path, `it has no approval rules (${message}); fix it or delete it`),
        )
      ),
      Effect.map(({ rules }) => rules),
    )
    let kept: ReadonlyArray<ApprovalRule> = (yield* read).filter(({ decision }) => decision === "allow")
    const lock = Semaphore.makeUnsafe(1)
    const write = (rules: ReadonlyArray<ApprovalRule>) =>
      Effect.asVoid(Files.write(path, `${JSON.stringify({ rules }, undefined, 2)}\n`, { permissions: 0o600 })).pipe(
        within,
      )
    return {
      rules: Effect.map(run.rules, (rules) => [...kept, ...rules]),
      remember: (rule, scope) =>
        scope === "run" ? run.remember(rule, scope) : lock.withPermits(1)(Effect.suspend(() => {
          kept = added(kept, rule)
          // Adds to the current content of the file: another run may have added to it, and the user may have removed
          // something.
          const written = Effect.flatMap(read, (rules) => write(added(rules, rule)))
          // The rule holds for this run in any case; the next run asks again.
          return Effect.catch(written, ({ message }) => Effect.logWarning(`an approval was not kept: ${message}`))
        })),
    }
  })
