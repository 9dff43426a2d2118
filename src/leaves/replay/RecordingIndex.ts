/** Indexes recordings by key, and takes the next one that answers a command. */
import type { ShellExec } from "../../command/ShellExec.ts"
import type * as Redactor from "../../journal/redaction/Redactor.ts"
import { formatCommandLine } from "../../shell/formatCommandLine.ts"
import { findNearest } from "../../base/findNearest.ts"
import type { Recording } from "./Recording.ts"
import { keyFields, keyOf, type ReplayKey, toRecordedForm } from "./ReplayKey.ts"

export interface RecordingIndexOptions {
  readonly key: ReplayKey
  readonly redactor: Redactor.Redactor | undefined
  /** Whether the last recording of a key answers repeatedly; otherwise each answers once. */
  readonly repeat: boolean
}

export interface Unmatched {
  readonly issue: string
}

interface RecordingQueue {
  readonly recordings: Array<Recording>
  next: number
}

/** Recordings by key. Those with the same key are taken in the order in which they were recorded. */
export class RecordingIndex {
  readonly #options: RecordingIndexOptions
  readonly #queues = new Map<string, RecordingQueue>()

  constructor(recordings: ReadonlyArray<Recording>, options: RecordingIndexOptions) {
    this.#options = options
    for (const recording of recordings) {
      const key = keyOf(recording.exec, options.key)
      const queue = this.#queues.get(key)
      if (queue === undefined) this.#queues.set(key, { recordings: [recording], next: 0 })
      else queue.recordings.push(recording)
    }
  }

  take(requested: ShellExec): Recording | Unmatched {
    const { key, redactor, repeat } = this.#options
    const exec = toRecordedForm(requested, redactor)
    const queue = this.#queues.get(keyOf(exec, key))
    if (queue === undefined) return { issue: `${formatCommandLine(exec)} is not recorded; ${this.#nearest(exec)}` }
    const { next, recordings } = queue
    if (next >= recordings.length && !repeat) {
      const times = recordings.length === 1 ? "once" : `${recordings.length} times`
      return { issue: `${formatCommandLine(exec)} was recorded ${times}, and has been answered as often` }
    }
    queue.next++
    const recording = recordings[Math.min(next, recordings.length - 1)]
    return recording ?? { issue: `${formatCommandLine(exec)} is not recorded` }
  }

  #nearest(exec: ShellExec): string {
    const line = formatCommandLine(exec)
    const known = new Map<string, ShellExec>()
    for (const { recordings: [first] } of this.#queues.values()) {
      if (first !== undefined) known.set(formatCommandLine(first.exec), first.exec)
    }
    const similar = findNearest(line, known.keys())
    const other = similar === undefined ? undefined : known.get(similar)
    if (similar === undefined || other === undefined) return "nothing is"
    return similar === line ? this.#difference(exec, other) : `the nearest that is: ${similar}`
  }

  #difference(exec: ShellExec, other: ShellExec): string {
    const { key } = this.#options
    if (typeof key === "function") return "the same line is, with another key"
    const recorded = new Map(keyFields(other, key))
    const different = keyFields(exec, key).filter(([field, value]) => recorded.get(field) !== value)
    // Shows only the name of an input, which may be long, and of an environment, which may hold secrets.
    const differences = different.map(([field]) => {
      const shown = field === "workingDirectory" || field === "commandId" ? recorded.get(field) : undefined
      return shown === undefined ? `another ${field}` : shown === "null" ? `no ${field}` : `the ${field} ${shown}`
    })
    return `the same line is, with ${differences.join(" and ")}`
  }
}
