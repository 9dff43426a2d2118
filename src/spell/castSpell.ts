/** Casts the spells of a book by name. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { quote } from "../base/quote.ts"
import { CommandId } from "../command/CommandId.ts"
import { brokenFault } from "./brokenFault.ts"
import type { CastFailure } from "./Spell.ts"
import type { InspectedCall } from "./ApprovalRule.ts"
import { SpellFault, SpellInvocation } from "./SpellEntry.ts"
import { inToolSpan } from "./inToolSpan.ts"
import { provideRoutes } from "./provideRoutes.ts"
import type { SpellcastingService } from "./SpellcastingBranch.ts"
import { noSpell, type Spellbook } from "./makeSpellbook.ts"

const unknownSpell = ({ correlationId, name }: SpellInvocation, names: ReadonlyArray<string>): SpellFault =>
  new SpellFault({ correlationId, spell: name, faultKind: "UnknownSpell", message: noSpell(name, names) })

const castFault = ({ correlationId, name }: SpellInvocation, failure: CastFailure): SpellFault =>
  new SpellFault({
    correlationId,
    spell: name,
    faultKind: failure._tag,
    message: `${name}: ${failure.message}`,
    ...(failure._tag === "Failed" ? { failure: failure.failure } : undefined),
  })

/**
 * The effects of an invocation, or the reason why it cannot be cast.
 *
 * @example
 * ```ts
 * import { readFile, Spellbook, SpellInvocation } from "@sluice/shell/spell"
 * import { Result } from "effect"
 *
 * const call = SpellInvocation.make({ name: "read_file", arguments: { path: "a.txt" } })
 * const inspected = Result.getOrThrow(Spellbook.inspect(Spellbook.make(readFile), call))
 * console.log(inspected.readOnly && inspected.targets[0]?._tag) // Path
 * ```
 */
export const inspect = (
  book: Spellbook<unknown>,
  invocation: SpellInvocation,
): Result.Result<InspectedCall, SpellFault> => {
  const { name } = invocation
  const spell = book.spells.get(name)
  if (spell === undefined) return Result.fail(unknownSpell(invocation, [...book.spells.keys()]))
  return Result.mapBoth(spell.inspect(invocation.arguments), {
    onSuccess: (inspected) => ({ spell: name, readOnly: spell.readOnly, ...inspected }),
    onFailure: (failure) => castFault(invocation, failure),
  })
}

/**
 * The service that casts the spells of a book with the services of the context.
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { readFile, Spellbook, SpellInvocation } from "@sluice/shell/spell"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { request } = yield* Spellbook.service(Spellbook.make(readFile))
 *   return yield* Stream.runHead(request(SpellInvocation.make({ name: "read_file", arguments: { path: "none" } })))
 * })
 * const fault = await Effect.runPromise(Effect.flip(Effect.provide(program, MemoryFileSystem.layer)))
 * console.log(fault._tag === "SpellFault" && fault.faultKind) // Failed
 * ```
 */
export const service = <R>(book: Spellbook<R>): Effect.Effect<SpellcastingService, never, R> =>
  Effect.map(Effect.context<R>(), (context) => ({
    request: (invocation) => {
      const { correlationId, name } = invocation
      const spell = book.spells.get(name)
      if (spell === undefined) return Stream.fail(unknownSpell(invocation, [...book.spells.keys()]))
      return spell.cast(invocation.arguments, { correlationId }).pipe(
        Effect.map((result) => ({ _tag: "SpellResult" as const, correlationId, result })),
        Effect.mapError((failure) => castFault(invocation, failure)),
        Effect.catchDefect((defect) => brokenFault(invocation, defect)),
        Effect.provide(provideRoutes(spell, context, correlationId)),
        Stream.fromEffect,
      )
    },
  }))

/**
 * Casts one spell of a book with the services of the context.
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { listDirectory, Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const call = Spellbook.cast(Spellbook.make(listDirectory), "list_directory", { path: "" })
 * const result = await Effect.runPromise(Effect.provide(call, MemoryFileSystem.layer))
 * console.log(JSON.stringify(result)) // {"entries":[]}
 * ```
 */
export const cast = <R>(
  book: Spellbook<R>,
  name: string,
  input: Schema.Json,
): Effect.Effect<Schema.Json, SpellFault, R> => Effect.flatMap(service(book), (spells) => castWith(spells, name, input))

/**
 * Casts one spell with a service, which may be guarded, journaled, or behind a daemon.
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { listDirectory, Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const spells = yield* Spellbook.service(Spellbook.make(listDirectory))
 *   return yield* Spellbook.castWith(spells, "list_directory", { path: "" }, "call-1")
 * })
 * const result = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
 * console.log(JSON.stringify(result)) // {"entries":[]}
 * ```
 */
export const castWith = (
  spells: SpellcastingService,
  name: string,
  input: Schema.Json,
  correlationId?: string,
): Effect.Effect<Schema.Json, SpellFault> =>
  // Made when the effect runs, so that repeating the effect makes another invocation.
  Effect.suspend(() => {
    const invocation = SpellInvocation.make({
      correlationId: correlationId ?? CommandId.make(),
      name,
      arguments: input,
    })
    const answered = Effect.flatMap(
      Stream.runHead(spells.request(invocation)),
      Option.match({
        onNone: () => Effect.die(new Error(`the spell ${quote(name)} was answered with nothing`)),
        onSome: ({ result }) => Effect.succeed(result),
      }),
    )
    return inToolSpan(answered, invocation)
  })
