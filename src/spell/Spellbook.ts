/**
 * Collects spells, and casts them by name.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { findNearest } from "../base/findNearest.ts"
import { OptionError } from "../base/OptionError.ts"
import { correlate } from "./correlate.ts"
import type { Spell } from "./Spell.ts"
import { SpellFault, SpellInvocation } from "./SpellEntry.ts"
import type { SpellcastingService } from "./SpellcastingBranch.ts"

/**
 * A set of spells with different names. `R` are the services that they need together, `Name` their names.
 *
 * @stability experimental
 */
export interface Spellbook<out R = never, out Name extends string = string> {
  /** The spells by their names, in the order in which they were given. */
  readonly spells: ReadonlyMap<string, Spell<Name, R>>
}

/**
 * The services that a spell needs.
 *
 * @stability experimental
 */
export type RequirementsOf<S> = S extends Spell<string, infer R> ? R : never

/**
 * Makes a book of spells.
 *
 * @throws {OptionError} when two have one name
 *
 * @stability experimental
 */
export function make<const Spells extends ReadonlyArray<Spell<string, unknown>>>(
  ...spells: Spells
): Spellbook<RequirementsOf<Spells[number]>, Spells[number]["name"]>
export function make<R>(...spells: ReadonlyArray<Spell<string, R>>): Spellbook<R> {
  const byName = new Map<string, Spell<string, R>>()
  for (const spell of spells) {
    if (byName.has(spell.name)) {
      throw new OptionError("name", `Spellbook: two spells are called "${spell.name}"; give each a name of its own`)
    }
    byName.set(spell.name, spell)
  }
  return { spells: byName }
}

const unknownSpell = ({ correlationId, name }: SpellInvocation, names: ReadonlyArray<string>): SpellFault => {
  const near = findNearest(name, names)
  const hint = near === undefined ? "" : `; did you mean "${near}"?`
  return new SpellFault({
    correlationId,
    spell: name,
    faultKind: "UnknownSpell",
    message: `there is no spell "${name}"${hint} There are: ${names.join(", ")}`,
  })
}

/**
 * The service that casts the spells of a book with the services of the context.
 *
 * @stability experimental
 */
export const service = <R>(book: Spellbook<R>): Effect.Effect<SpellcastingService, never, R> =>
  Effect.map(Effect.context<R>(), (context) => ({
    request: (invocation) => {
      const { correlationId, name } = invocation
      const spell = book.spells.get(name)
      if (spell === undefined) return Stream.fail(unknownSpell(invocation, [...book.spells.keys()]))
      return spell.cast(invocation.arguments, { correlationId }).pipe(
        Effect.map((result) => ({ _tag: "SpellResult" as const, correlationId, result })),
        Effect.mapError((failure) =>
          new SpellFault({
            correlationId,
            spell: name,
            faultKind: failure._tag,
            message: `${name}: ${failure.message}`,
            ...(failure._tag === "Failed" ? { failure: failure.failure } : undefined),
          })
        ),
        Effect.provide(correlate(context, correlationId)),
        Stream.fromEffect,
      )
    },
  }))

/**
 * Casts one spell of a book with the services of the context.
 *
 * @stability experimental
 */
export const cast = <R>(
  book: Spellbook<R>,
  name: string,
  input: Schema.Json,
): Effect.Effect<Schema.Json, SpellFault, R> =>
  Effect.flatMap(service(book), ({ request }) =>
    request(SpellInvocation.make({ name, arguments: input })).pipe(
      Stream.runHead,
      Effect.map((result) => Option.isSome(result) ? result.value.result : null),
    ))
