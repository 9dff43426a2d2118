/**
 * Counts commands by outcome and by program from their requests and ends.
 *
 * @module
 */
import type { EpochMillis } from "../command/ShellEvent.ts"
import type { Entry } from "../journal/Entry.ts"
import type { CommandState } from "./CommandRecord.ts"
import { outcomeOf, requestLine, requestTags } from "./readRecord.ts"

/** How often a program was run. */
export interface ProgramStats {
  /** Its name as it was given; `[others]` for all that are not counted by themselves. */
  readonly program: string
  readonly commands: number
  /** Of those, how many ended with an exit code that is not 0, or with a fault. */
  readonly failed: number
  /** How long they ran in all, milliseconds. */
  readonly durationMillis: number
}

/** The commands of a journal in figures. */
export interface CommandStats {
  readonly commands: number
  /** How often each outcome was: `exit 0`, `exit 1`, `SIGKILL`, `Timeout`, …, and `open` for those without an end. */
  readonly outcomes: ReadonlyMap<string, number>
  /** The programs that were run most often, the first so many. */
  readonly programs: ReadonlyArray<ProgramStats>
  /** Bytes that commands wrote. */
  readonly stdoutBytes: number
  readonly stderrBytes: number
  /** When the first command was asked for, and the last. */
  readonly first: EpochMillis | undefined
  readonly last: EpochMillis | undefined
}

/** Programs that are counted by themselves, and outcomes too; the rest is counted together. */
const maxNames = 10_000

const others = "[others]"

/** An outcome by one name. */
export const outcomeName = (state: CommandState): string => {
  switch (state._tag) {
    case "Exited":
      return state.signal ?? `exit ${state.exitCode}`
    case "Faulted":
      return state.reason._tag
    default:
      return state._tag
  }
}

interface StartedCommand {
  readonly program: string
  readonly time: EpochMillis
}

/** What has come by so far. Programs are told by name up to a number of them. */
export class CommandCounter {
  readonly outcomes: Map<string, number> = new Map()
  readonly #programs = new Map<string, { commands: number; failed: number; durationMillis: number }>()
  readonly #open = new Map<string, StartedCommand>()
  commands = 0
  stdoutBytes = 0
  stderrBytes = 0
  first: EpochMillis | undefined
  last: EpochMillis | undefined

  take(entry: Entry): void {
    if (requestTags.includes(entry.tag)) this.#begin(entry)
    else this.#end(entry)
  }

  #begin(entry: Entry): void {
    const { correlationId, time } = entry
    const [exec, line] = requestLine(entry)
    const program = exec === undefined ? line : exec.useShell ? "sh -c" : exec.command
    this.commands++
    this.first ??= time
    this.last = time
    this.#of(program).commands++
    this.#open.set(correlationId, { program, time })
  }

  #end(entry: Entry): void {
    const begun = this.#open.get(entry.correlationId)
    // Its request was pruned: it is none of the commands that are counted.
    if (begun === undefined) return
    this.#open.delete(entry.correlationId)
    const { durationMillis, state, stderrBytes = 0, stdoutBytes = 0 } = outcomeOf(entry)
    const program = this.#of(begun.program)
    program.durationMillis += durationMillis ?? Math.max(0, entry.time - begun.time)
    if (state._tag === "Faulted" || (state._tag === "Exited" && state.exitCode !== 0)) program.failed++
    this.#outcome(outcomeName(state), 1)
    this.stdoutBytes += stdoutBytes
    this.stderrBytes += stderrBytes
  }

  #outcome(name: string, count: number): void {
    const key = this.outcomes.size < maxNames || this.outcomes.has(name) ? name : others
    this.outcomes.set(key, (this.outcomes.get(key) ?? 0) + count)
  }

  #of(program: string): { commands: number; failed: number; durationMillis: number } {
    const key = this.#programs.size < maxNames || this.#programs.has(program) ? program : others
    const known = this.#programs.get(key) ?? { commands: 0, failed: 0, durationMillis: 0 }
    this.#programs.set(key, known)
    return known
  }

  stats(programs: number): CommandStats {
    const open = this.commands - [...this.outcomes.values()].reduce((sum, count) => sum + count, 0)
    if (open > 0) this.#outcome("open", open)
    const { commands, first, last, stderrBytes, stdoutBytes } = this
    const most = [...this.#programs].map(([program, counts]) => ({ program, ...counts }))
      .sort((a, b) => b.commands - a.commands || (a.program < b.program ? -1 : 1))
    return {
      commands,
      outcomes: new Map([...this.outcomes].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))),
      programs: most.slice(0, programs),
      stdoutBytes,
      stderrBytes,
      first,
      last,
    }
  }
}
