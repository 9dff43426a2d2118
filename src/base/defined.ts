/** Leaves out `undefined` members, for types whose optional members must be absent instead. */
/** The members of `A`, each absent or with a value. */
export type Defined<A> = { [Name in keyof A]?: Exclude<A[Name], undefined> }

/** A copy of an object without the members that are `undefined`. */
export function defined<A extends object>(members: A): Defined<A>
export function defined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
