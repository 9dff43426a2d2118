/**
 * What an assignment by text names: a variable, or an element of one.
 *
 * @module
 */

/** A name and perhaps a subscript. */
export interface NamedPlace {
  readonly name: string
  readonly subscript: string | undefined
}
