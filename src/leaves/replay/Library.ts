/**
 * Recordings by what they are matched with, and which one is next.
 *
 * @module
 */
import type { ShellExec } from "../../command/ShellExec.ts"
import type * as Redactor from "../../journal/redaction/Redactor.ts"
import { formatCommandLine } from "../../shell/formatCommandLine.ts"
import { nearest } from "../../base/nearest.ts"
import type { Recording } from "./Recording.ts"
import { asRecorded, fieldsOf, keyOf, type ReplayKey } from "./ReplayKey.ts"

/** How recordings are found. */
export interface LibraryOptions {
  readonly key: ReplayKey
  readonly redactor: Redactor.Redactor | undefined
  /** Whether the last recording of a key answers again and again; else each answers once. */
  readonly repeat: boolean
}

/** Why there is no recording, in a few words. */
export interface Unmatched {
  readonly issue: string
}

interface Shelf {
  readonly recordings: Array<Recording>
  next: number
}

/** Recordings by their key. Those of one key are taken in the order in which they were recorded. */
export class Library {
  readonly #options: LibraryOptions
  readonly #shelves = new Map<string, Shelf>()

  constructor(recordings: ReadonlyArray<Recording>, options: LibraryOptions) {
    this.#options = options
    for (const recording of recordings) {
      const key = keyOf(recording.exec, options.key)
      const shelf = this.#shelves.get(key)
      if (shelf === undefined) this.#shelves.set(key, { recordings: [recording], next: 0 })
      else shelf.recordings.push(recording)
    }
  }

  /** The recording that answers a command. */
  take(asked: ShellExec): Recording | Unmatched {
    const { key, redactor, repeat } = this.#options
    const exec = asRecorded(asked, redactor)
    const shelf = this.#shelves.get(keyOf(exec, key))
    if (shelf === undefined) return { issue: `${formatCommandLine(exec)} is not recorded; ${this.#nearest(exec)}` }
    const { next, recordings } = shelf
    if (next >= recordings.length && !repeat) {
      const times = recordings.length === 1 ? "once" : `${recordings.length} times`
      return { issue: `${formatCommandLine(exec)} was recorded ${times}, and has been answered as often` }
    }
    shelf.next++
    const recording = recordings[Math.min(next, recordings.length - 1)]
    return recording ?? { issue: `${formatCommandLine(exec)} is not recorded` }
  }

  #nearest(exec: ShellExec): string {
    const line = formatCommandLine(exec)
    const known = new Map<string, ShellExec>()
    for (const { recordings: [first] } of this.#shelves.values()) {
      if (first !== undefined) known.set(formatCommandLine(first.exec), first.exec)
    }
    const similar = nearest(line, known.keys())
    const other = similar === undefined ? undefined : known.get(similar)
    if (similar === undefined || other === undefined) return "nothing is"
    return similar === line ? this.#difference(exec, other) : `the nearest that is: ${similar}`
  }

  /** The line is the same: then it is the rest of the key that is not. */
  #difference(exec: ShellExec, other: ShellExec): string {
    const { key } = this.#options
    if (typeof key === "function") return "the same line is, with another key"
    const recorded = new Map(fieldsOf(other, key))
    const different = fieldsOf(exec, key).filter(([field, value]) => recorded.get(field) !== value)
    // An input may be long, and an environment holds what is nobody's business: these are only named.
    const told = different.map(([field]) => {
      const shown = field === "workingDirectory" || field === "commandId" ? recorded.get(field) : undefined
      return shown === undefined ? `another ${field}` : shown === "null" ? `no ${field}` : `the ${field} ${shown}`
    })
    return `the same line is, with ${told.join(" and ")}`
  }
}
