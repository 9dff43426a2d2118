/** Declares the options of a journaled shell and resolves them to settings. */
import { type DurationInput, millisOf } from "../base/duration.ts"
import { refuseUnknownOptions } from "../base/OptionError.ts"
import type { Durability } from "../journal/JournalStore.ts"
import type * as Redactor from "../journal/redaction/Redactor.ts"

/** Options of a journaled shell. */
export interface JournaledShellOptions {
  /** Durability with which an entry counts as written. Default: the journal's. */
  readonly durability?: Durability | undefined
  /**
   * Removes further text that must not be stored. The command's own secrets are never stored, neither in its arguments,
   * environment and input nor in its output. The caller receives the original output. It applies in addition to a redactor
   * of the journal. Default: removes nothing.
   */
  readonly redactor?: Redactor.Redactor | undefined
  /**
   * Runs a command only if the journal has none with its id, from any process; otherwise the fault is `JournalFailed` with
   * `what: "Conflict"`. If several are requested at once, also by other processes, one runs. Default: `false`.
   */
  readonly once?: boolean | undefined
  /**
   * Maximum time that output waits for a journal that is unreachable or locked by another process, after the journal
   * itself has given up. The command continues until its pipe is full; after this time it is ended. Default: 15 s.
   */
  readonly outageTimeout?: DurationInput | undefined
  /**
   * Whether text that is typed into terminals is recorded, through the redactor, including passwords. Default: `false`:
   * entries have only its length. Text that a terminal echoes is in the output.
   */
  readonly recordInput?: boolean | undefined
}

export interface JournaledShellSettings {
  readonly durability: Durability | undefined
  readonly redactor: Redactor.Redactor | undefined
  readonly once: boolean
  readonly outageTimeoutMillis: number
  readonly recordInput: boolean
}

const optionNames: Readonly<Record<keyof JournaledShellOptions, true>> = {
  durability: true,
  redactor: true,
  once: true,
  outageTimeout: true,
  recordInput: true,
}

export const journaledShellSettings = (options: JournaledShellOptions): JournaledShellSettings => {
  refuseUnknownOptions("JournaledShell", options, optionNames)
  return {
    durability: options.durability,
    redactor: options.redactor,
    once: options.once === true,
    recordInput: options.recordInput === true,
    outageTimeoutMillis: millisOf("outageTimeout", options.outageTimeout ?? "15 seconds"),
  }
}
