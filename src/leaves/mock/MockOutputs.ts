/**
 * The output pipes of a scripted process, and who holds them.
 *
 * @module
 */
import type { OutputStream } from "../../command/ShellEvent.ts"
import { MockPipe } from "./MockPipe.ts"

/** The ends of the output pipes that one process has: it holds a stream until it lets it go. */
export type Holder = Set<OutputStream>

/** Two pipes, or one for both; each ends when nobody holds it any more. */
export class MockOutputs {
  readonly stdout: MockPipe = new MockPipe()
  /** Missing when stderr goes into stdout's pipe. */
  readonly stderr: MockPipe | undefined
  readonly #holders = new Set<Holder>()

  constructor(merged: boolean) {
    this.stderr = merged ? undefined : new MockPipe()
  }

  /** The pipe that a stream goes into. */
  pipeOf(stream: OutputStream): MockPipe {
    return stream === "stdout" ? this.stdout : this.stderr ?? this.stdout
  }

  /** One holder more. */
  hold(): Holder {
    const holder: Holder = new Set<OutputStream>(["stdout", "stderr"])
    this.#holders.add(holder)
    return holder
  }

  /** A holder has closed a stream. */
  letGo(holder: Holder, stream: OutputStream): void {
    holder.delete(stream)
    const pipe = this.pipeOf(stream)
    const held = [...this.#holders].some((other) => [...other].some((held) => this.pipeOf(held) === pipe))
    if (!held) pipe.end()
  }

  /** A holder is gone. */
  drop(holder: Holder): void {
    for (const stream of holder) this.letGo(holder, stream)
    this.#holders.delete(holder)
  }
}
