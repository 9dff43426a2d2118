/** Counts commands by outcome and by program (at most 10,000 names). */
import type { EpochMillis } from "../command/ShellEvent.ts"
import type { Entry } from "../journal/Entry.ts"
import type { CommandState } from "./CommandRecord.ts"
import { outcomeOf, requestLine, requestTags } from "./readRecord.ts"

/** Number of runs of a program. */
export interface ProgramStats {
  /** The program as it was given; `[others]` for all programs beyond the maximum. */
  readonly program: string
  readonly commands: number
  /** Number of those that ended with an exit code other than 0, or with a fault. */
  readonly failed: number
  /** Total run time, in milliseconds. */
  readonly durationMillis: number
}

/** Counts of the commands in a journal. */
export interface CommandStats {
  readonly commands: number
  /** Counts by outcome: `exit 0`, `exit 1`, `SIGKILL`, `Timeout`, …, and `open` for commands without an end. */
  readonly outcomes: ReadonlyMap<string, number>
  /** The programs that were run most often. */
  readonly programs: ReadonlyArray<ProgramStats>
  readonly stdoutBytes: number
  readonly stderrBytes: number
  /** Times of the first and the last request. */
  readonly first: EpochMillis | undefined
  readonly last: EpochMillis | undefined
}

/** Maximum number of distinct programs and of outcomes; the rest is counted together. */
const maxNames = 10_000

const others = "[others]"

/**
 * The name of an outcome, as in {@link CommandStats}.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { Audit } from "@sluice/shell/audit"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Shell.run(ShellExec.make("sh", ["-c", "exit 3"], { commandId: "c1" }))
 *   return yield* Audit.find("c1")
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(KernelShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * const { state } = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(Audit.outcomeName(state)) // exit 3
 * ```
 */
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
    const started = this.#open.get(entry.correlationId)
    // Its request was pruned, so the command was not counted.
    if (started === undefined) return
    this.#open.delete(entry.correlationId)
    const { durationMillis, state, stderrBytes = 0, stdoutBytes = 0 } = outcomeOf(entry)
    const program = this.#of(started.program)
    program.durationMillis += durationMillis ?? Math.max(0, entry.time - started.time)
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
    const sorted = [...this.#programs].map(([program, counts]) => ({ program, ...counts }))
      .sort((a, b) => b.commands - a.commands || (a.program < b.program ? -1 : 1))
    return {
      commands,
      outcomes: new Map([...this.outcomes].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))),
      programs: sorted.slice(0, programs),
      stdoutBytes,
      stderrBytes,
      first,
      last,
    }
  }
}
