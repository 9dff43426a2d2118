/** Declares the formats of printed changes, and the counts of each change. */
import type { FileChange } from "./changes.ts"

export type DiffFormat = "patch" | "stat" | "shortstat" | "numstat" | "summary" | "name-only" | "name-status" | "raw"

export interface DiffOptions {
  readonly formats: ReadonlySet<DiffFormat>
  readonly context: number
  readonly renames: boolean
  readonly keyOf: ((line: string) => string) | undefined
  readonly ignoresBlanks: boolean
  readonly asText: boolean
  readonly fullIndex: boolean
  readonly prefix: readonly [string, string]
  readonly terminator: "\n" | "\0"
  readonly reverse: boolean
  readonly filter: string | undefined
  readonly pickaxe: string | undefined
  readonly quiet: boolean
  readonly none: boolean
  readonly statWidth: number
}

export interface FileStat {
  readonly change: FileChange
  readonly added: number
  readonly removed: number
  /** Sizes of a binary file. */
  readonly binary: readonly [number, number] | undefined
}
