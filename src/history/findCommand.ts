/** Finds the newest command of a journal with an id, or the one whose id has a prefix. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { quote } from "../base/quote.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { Entry, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import type { CommandRecord } from "./CommandRecord.ts"
import { makeLivenessCheck } from "./makeLivenessCheck.ts"
import { readRecord, requestTags } from "./readRecord.ts"

const LookupErrorBase: Schema.Class<
  LookupError,
  Schema.TaggedStruct<"LookupError", {
    readonly commandId: typeof Schema.String
    readonly candidates: Schema.$Array<typeof Schema.String>
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<LookupError>()("LookupError", {
  commandId: Schema.String,
  candidates: Schema.Array(Schema.String),
  message: Schema.String,
})

/**
 * No id starts with the prefix (`candidates` is empty), or more than one does (`candidates` are the newest, at most
 * five).
 *
 * @example
 * ```ts
 * import { Audit } from "@sluice/shell/audit"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const program = Audit.find("c1").pipe(Effect.flip, Effect.provide(MemoryJournal.layer))
 * const error = await Effect.runPromise(program)
 * console.log(error._tag === "LookupError" && error.candidates.length) // 0
 * ```
 */
export class LookupError extends LookupErrorBase {}

const pageSize = 64

const maxCandidates = 5

const lookupError = (prefix: string, candidates: ReadonlyArray<string>): LookupError =>
  new LookupError({
    commandId: prefix,
    candidates,
    message: candidates.length === 0
      ? `no command in this journal has an id that begins with ${quote(prefix)}`
      : `several commands have an id that begins with ${quote(prefix)}: ${candidates.join(", ")}`,
  })

const findRequests = (journal: JournalService, isMatch: (id: string) => boolean, limit: number) => {
  const found = new Map<CommandId, Entry>()
  const filter = { branch: ComputeBranch.name, tags: requestTags }
  const page = (before: Position | undefined) =>
    Effect.map(journal.readBackward({ before, filter, maxEntries: pageSize }), (entries) => {
      for (const entry of entries) {
        if (found.size < limit && isMatch(entry.correlationId) && !found.has(entry.correlationId)) {
          found.set(entry.correlationId, entry)
        }
      }
      const more = found.size < limit && entries.length === pageSize
      return [[], more ? Option.fromUndefinedOr(entries.at(-1)?.position) : Option.none()] as const
    })
  return Effect.map(
    Stream.runDrain(Stream.paginate<Position | undefined, never, JournalError>(undefined, page)),
    () => found,
  )
}

/** The newest command with an id; `undefined` if there is none. Takes one lookup by index. */
export const commandById: (
  commandId: CommandId,
) => Effect.Effect<CommandRecord | undefined, JournalError, Journal> = Effect.fnUntraced(function* (commandId) {
  const journal = yield* Journal
  const filter = { branch: ComputeBranch.name, correlationId: commandId, tags: requestTags }
  const [request] = yield* journal.readBackward({ filter, maxEntries: 1 })
  return request === undefined ? undefined : yield* readRecord(journal, request, makeLivenessCheck(journal))
})

/**
 * The newest command with an id. Takes one lookup by index.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { Audit } from "@sluice/shell/audit"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { Effect, Layer, Option } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Shell.run(ShellExec.make("sh", ["-c", "exit 3"], { commandId: "c1" }))
 *   return yield* Audit.get("c1")
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(KernelShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * const record = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(Option.isSome(record) && record.value.commandId) // c1
 * ```
 */
export const getCommand = (commandId: CommandId): Effect.Effect<Option.Option<CommandRecord>, JournalError, Journal> =>
  Effect.map(commandById(commandId), Option.fromUndefinedOr)

/**
 * The command with an id, or the only one whose id starts with a prefix. An id that was used more than once refers to the
 * newest command. A whole id takes one lookup by index; a prefix reads all requests. Fails with `LookupError` if no id, or
 * more than one, has the prefix.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Audit } from "@sluice/shell/audit"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Shell.run(ShellExec.make("echo", ["hello"], { commandId: "build-17" }))
 *   const { line, state } = yield* Audit.find("build")
 *   return line === "echo hello" && state._tag === "Exited" && state.exitCode === 0
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * console.log(await Effect.runPromise(Effect.provide(program, layer))) // true
 * ```
 */
export const findCommand: (prefix: string) => Effect.Effect<CommandRecord, JournalError | LookupError, Journal> = Effect
  .fnUntraced(function* (prefix) {
    const exact = yield* commandById(prefix)
    if (exact !== undefined) return exact
    const journal = yield* Journal
    const found = yield* findRequests(journal, (id) => id.startsWith(prefix), maxCandidates)
    const [request, ...others] = found.values()
    if (request === undefined || others.length > 0) return yield* Effect.fail(lookupError(prefix, [...found.keys()]))
    return yield* readRecord(journal, request, makeLivenessCheck(journal))
  })
