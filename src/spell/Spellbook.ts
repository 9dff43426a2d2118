/** Collects spells, and casts them by name. */
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { quote } from "../base/quote.ts"
import { didYouMean, findNearest } from "../base/findNearest.ts"
import { OptionError } from "../base/OptionError.ts"
import { CommandId } from "../command/CommandId.ts"
import { brokenFault } from "./brokenFault.ts"
import type { CastFailure, Spell } from "./Spell.ts"
import type { InspectedCall } from "./ApprovalRule.ts"
import { SpellFault, SpellInvocation } from "./SpellEntry.ts"
import { inToolSpan } from "./inToolSpan.ts"
import { provideRoutes } from "./provideRoutes.ts"
import type { SpellcastingService } from "./SpellcastingBranch.ts"
import { type ToolDialect, unsupportedParts } from "./toolSchema.ts"

/** A set of spells with different names. `R` are the services that they need together, `Name` their names. */
export interface Spellbook<out R = never, out Name extends string = string> {
  /** The spells by their names, in the order in which they were given. */
  readonly spells: ReadonlyMap<string, Spell<Name, R>>
}

/** The services that a spell needs. */
export type RequirementsOf<S> = S extends Spell<string, infer R> ? R : never

/**
 * Makes a book of spells.
 *
 * @throws {OptionError} when two have one name
 *
 * @example
 * ```ts
 * import { readFile, Spellbook, writeFile } from "@sluice/shell/spell"
 *
 * const book = Spellbook.make(readFile, writeFile)
 * console.log([...book.spells.keys()].join()) // read_file,write_file
 * ```
 */
export function make<const Spells extends ReadonlyArray<Spell<string, unknown>>>(
  ...spells: Spells
): Spellbook<RequirementsOf<Spells[number]>, Spells[number]["name"]>
export function make<R>(...spells: ReadonlyArray<Spell<string, R>>): Spellbook<R> {
  const byName = new Map<string, Spell<string, R>>()
  for (const spell of spells) {
    if (byName.has(spell.name)) {
      throw new OptionError(
        "name",
        `Spellbook: two spells are called ${quote(spell.name)}; give each a name of its own`,
      )
    }
    byName.set(spell.name, spell)
  }
  return { spells: byName }
}

/**
 * Checks that dialects can express the parameters of all spells of a book; see {@link toolSchema}. Returns the book.
 *
 * @throws {OptionError} naming each part that one of the dialects cannot express, with its path
 *
 * @example
 * ```ts
 * import { Spell, Spellbook } from "@sluice/shell/spell"
 * import { Effect, Schema } from "effect"
 *
 * const count = Spell.make({
 *   name: "count",
 *   description: "Counts labels.",
 *   parameters: Schema.Struct({ labels: Schema.Record(Schema.String, Schema.Int) }),
 *   success: Schema.Int,
 *   cast: ({ labels }) => Effect.succeed(Object.keys(labels).length),
 * })
 * const book = Spellbook.check(Spellbook.make(count), "mcp")
 * const check = () => Spellbook.check(book, "openai", "gemini")
 * try {
 *   check()
 * } catch (error) {
 *   console.log(error instanceof Error && error.message.includes("count, parameter labels: a record")) // true
 * }
 * ```
 */
export const check = <R, Name extends string>(
  book: Spellbook<R, Name>,
  ...dialects: ReadonlyArray<ToolDialect>
): Spellbook<R, Name> => {
  const problems = dialects.flatMap((dialect) =>
    [...book.spells.values()].flatMap((spell) =>
      unsupportedParts(spell, dialect).map((part) => `${dialect} cannot express ${part}`)
    )
  )
  if (problems.length > 0) throw new OptionError("parameters", `Spellbook: ${problems.join("; ")}`)
  return book
}

/** UTF-16 units of an unknown name in a message. */
const maxNameLength = 100

const noSpell = (name: string, known: ReadonlyArray<string>): string => {
  const near = findNearest(name, known)
  return `there is no spell ${quote(name.slice(0, maxNameLength))}${didYouMean(near) || "."} There are: ${
    known.join(", ")
  }`
}

/**
 * The book with only some of its spells. A book without names in its type, `Spellbook<R>`, takes any text.
 *
 * @throws {OptionError} for the name of a spell that the book does not have
 *
 * @example
 * ```ts
 * import { Spellbook } from "@sluice/shell/spell"
 *
 * const reading = Spellbook.select(Spellbook.standard, ["read_file", "list_directory"])
 * console.log([...reading.spells.keys()].join()) // read_file,list_directory
 * ```
 */
export const select: {
  <const Selected extends string>(
    names: ReadonlyArray<Selected>,
  ): <R, Name extends string>(book: Spellbook<R, Name>) => Spellbook<R, Name & Selected>
  <R, Name extends string, const Selected extends Name>(
    book: Spellbook<R, Name>,
    names: ReadonlyArray<Selected>,
  ): Spellbook<R, Selected>
} = dual(2, <R, Name extends string, const Selected extends Name>(
  book: Spellbook<R, Name>,
  names: ReadonlyArray<Selected>,
): Spellbook<R, Selected> => {
  const known = [...book.spells.keys()]
  const isSelected = (spell: Spell<Name, R>): spell is Spell<Selected, R> => names.some((name) => name === spell.name)
  const strange = names.find((name) => !book.spells.has(name))
  if (strange !== undefined) {
    throw new OptionError("names", `Spellbook: ${noSpell(strange, known)}`)
  }
  return { spells: new Map([...book.spells.values()].filter(isSelected).map((spell) => [spell.name, spell])) }
})

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
 * Casts one spell with a service: one that is guarded, journaled, or behind a daemon.
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
  // Made when the effect runs: repeated, it is another invocation.
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
