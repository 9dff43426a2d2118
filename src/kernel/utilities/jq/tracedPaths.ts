/** Paths of values for `path(…)` while a program runs. */
import { JqArray, type Value } from "./values.ts"
import type { Tracer } from "./Tracer.ts"

/** The path to a value from the start of `path`; `undefined` outside of `path`. */
export interface Path {
  readonly parent: Path | undefined
  readonly key: Value
  /** See `Traced`. */
  mark?: number
}

export const rootPath: Path = { parent: undefined, key: null }

/** The path of a value that is not part of the input. */
export const noPath: Path = { parent: undefined, key: null }

export const pathKeys = (path: Path): JqArray => {
  const keys: Array<Value> = []
  for (let at = path; at.parent !== undefined; at = at.parent) keys.push(at.key)
  return new JqArray(keys.reverse())
}

/** Counts the keys of a path. */
export const tracePath = (tracer: Tracer, path: Path | undefined): void => {
  for (let at = path; at !== undefined && tracer.isNew(at); at = at.parent) tracer.value(at.key)
}
