/**
 * The output of a command, kept for an answer.
 *
 * @module
 */
import type { OutputStream } from "../command/ShellEvent.ts"
import { OutputBudget } from "../shell/OutputBudget.ts"
import type { CommandResult } from "./CommandResult.ts"

/** Keeps the start and the end of both outputs, half of `maxBytes` each. */
export class CollectedOutput {
  readonly #stdout: OutputBudget
  readonly #stderr: OutputBudget

  constructor(maxBytes: number) {
    const half = Math.floor(maxBytes / 2)
    this.#stdout = new OutputBudget(half)
    this.#stderr = new OutputBudget(half)
  }

  /** Takes what the command wrote. */
  push(stream: OutputStream, bytes: Uint8Array): void {
    const budget = stream === "stderr" ? this.#stderr : this.#stdout
    budget.push(bytes)
  }

  /** What was kept, as the fields of an answer. */
  take(): Pick<CommandResult, "stdout" | "stderr" | "stdout_bytes_omitted" | "stderr_bytes_omitted"> {
    const stdout = this.#stdout.take("utf-8")
    const stderr = this.#stderr.take("utf-8")
    return {
      stdout: stdout.text,
      stderr: stderr.text,
      ...(stdout.bytesOmitted === 0 ? undefined : { stdout_bytes_omitted: stdout.bytesOmitted }),
      ...(stderr.bytesOmitted === 0 ? undefined : { stderr_bytes_omitted: stderr.bytesOmitted }),
    }
  }
}
