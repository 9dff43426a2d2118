/** Collects the output of a command for the answer of a tool, within one budget of bytes. */
import type { OutputStream } from "../command/ShellEvent.ts"
import { HeadTailBuffer } from "../shell/HeadTailBuffer.ts"
import type { CommandResult } from "./CommandResult.ts"

export type OutputFields = Pick<CommandResult, "stdout" | "stderr" | "stdout_bytes_omitted" | "stderr_bytes_omitted">

/** Keeps the start and the end of both outputs within one budget of bytes. */
export class CollectedOutput {
  readonly #maxBytes: number
  readonly #stdout: HeadTailBuffer
  readonly #stderr: HeadTailBuffer

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#stdout = new HeadTailBuffer(maxBytes)
    this.#stderr = new HeadTailBuffer(maxBytes)
  }

  push(stream: OutputStream, bytes: Uint8Array): void {
    const budget = stream === "stderr" ? this.#stderr : this.#stdout
    budget.push(bytes)
  }

  /** Both outputs within `limitBytes`; an output that needs less than half leaves the rest to the other. */
  take(limitBytes: number = this.#maxBytes): OutputFields {
    const limit = Math.min(limitBytes, this.#maxBytes)
    const half = Math.floor(limit / 2)
    const stderr = this.#stderr.take("utf-8", Math.max(half, limit - this.#stdout.bytes))
    const stdout = this.#stdout.take("utf-8", Math.max(half, limit - this.#stderr.bytes))
    return {
      stdout: stdout.text,
      stderr: stderr.text,
      ...(stdout.bytesOmitted === 0 ? undefined : { stdout_bytes_omitted: stdout.bytesOmitted }),
      ...(stderr.bytesOmitted === 0 ? undefined : { stderr_bytes_omitted: stderr.bytesOmitted }),
    }
  }
}
