/** Makes a book of spells, checks it for a model, and selects some of its spells. */
import { dual } from "effect/Function"
import { quote } from "../base/quote.ts"
import { didYouMean, findNearest } from "../base/findNearest.ts"
import { OptionError } from "../base/OptionError.ts"
import type { Spell } from "./Spell.ts"
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

export const noSpell = (name: string, known: ReadonlyArray<string>): string => {
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
