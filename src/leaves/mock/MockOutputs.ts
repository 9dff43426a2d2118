/** Owns the output pipes of a scripted process and ends each when the last process has closed it. */
import type { OutputStream } from "../../command/ShellEvent.ts"
import { MockPipe } from "./MockPipe.ts"

export type OutputWriteEnds = Set<OutputStream>

/** The pipes of stdout and stderr, or one for both. A pipe ends when no process holds it open. */
export class MockOutputs {
  readonly stdout: MockPipe = new MockPipe()
  /** `undefined` when stderr is merged into stdout's pipe. */
  readonly stderr: MockPipe | undefined
  readonly #allEnds = new Set<OutputWriteEnds>()

  constructor(merged: boolean) {
    this.stderr = merged ? undefined : new MockPipe()
  }

  pipeOf(stream: OutputStream): MockPipe {
    return stream === "stdout" ? this.stdout : this.stderr ?? this.stdout
  }

  open(): OutputWriteEnds {
    const ends: OutputWriteEnds = new Set<OutputStream>(["stdout", "stderr"])
    this.#allEnds.add(ends)
    return ends
  }

  close(ends: OutputWriteEnds, stream: OutputStream): void {
    ends.delete(stream)
    const pipe = this.pipeOf(stream)
    const isOpen = [...this.#allEnds].some((other) => [...other].some((open) => this.pipeOf(open) === pipe))
    if (!isOpen) pipe.end()
  }

  closeAll(ends: OutputWriteEnds): void {
    for (const stream of ends) this.close(ends, stream)
    this.#allEnds.delete(ends)
  }
}
