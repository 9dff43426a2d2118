/** Leaves out `undefined` members, for types whose optional members must be absent instead. */

/** The members of `A`, each absent or with a value. */
export type Defined<A> = { [Name in keyof A]?: Exclude<A[Name], undefined> }

/** A copy of an object without the members that are `undefined`. */
export function defined<A extends object>(members: A): Defined<A>
export function defined(members: Readonly<Record<string, unknown>>): object {
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(members)) if (members[name] !== undefined) copy[name] = members[name]
  return copy
}
