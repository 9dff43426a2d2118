/** Merges the events of all attempts of one command into one run with consecutive sequence numbers. */
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { ShellBytes } from "../shell/ShellService.ts"
import type { ComputeEvent } from "./ComputeBranch.ts"
import { isLastEvent, RunPlayer } from "./RunPlayer.ts"

export interface MergedEvent<Element> {
  readonly elements: ReadonlyArray<Element | ShellOutput>
  readonly fault: ShellFault | undefined
}

export class AttemptMerger {
  readonly #exec: ShellExec
  #player: RunPlayer
  #attempt = 1
  /** The number of the next chunk, and the offset that is added to the numbers of this attempt. */
  #nextSeq = 0
  #offset = 0
  hasBegun = false
  executable: string | undefined

  constructor(exec: ShellExec) {
    this.#exec = exec
    this.#player = new RunPlayer(exec)
  }

  text(event: ComputeEvent, attempt: number): MergedEvent<ShellOutputChunk> {
    return this.#play(event, attempt, (output) => this.#numbered(this.#player.chunks(output)))
  }

  bytes(event: ComputeEvent, attempt: number): MergedEvent<ShellBytes> {
    return this.#play(event, attempt, (output) => this.#player.bytes(output))
  }

  #play<Element>(
    event: ComputeEvent,
    attempt: number,
    outputOf: (output: Extract<ComputeEvent, { readonly _tag: "ShellOutputChunks" }>) => ReadonlyArray<Element>,
  ): MergedEvent<Element> {
    this.hasBegun = true
    if (attempt > this.#attempt) {
      this.#attempt = attempt
      this.#player = new RunPlayer(this.#exec)
      this.#offset = this.#nextSeq
    }
    if (event._tag === "ShellOutputChunks") return { elements: outputOf(event), fault: undefined }
    // Typed input is not output.
    if (!isLastEvent(event)) return { elements: [], fault: undefined }
    this.executable = event.executable
    const last = this.#player.end(event)
    return last._tag === "ShellFault" ? { elements: [], fault: last } : { elements: [last], fault: undefined }
  }

  #numbered(chunks: ReadonlyArray<ShellOutputChunk>): ReadonlyArray<ShellOutputChunk> {
    const last = chunks.at(-1)
    if (last === undefined) return chunks
    this.#nextSeq = this.#offset + last.seq + 1
    return this.#offset === 0 ? chunks : chunks.map((chunk) => ({ ...chunk, seq: this.#offset + chunk.seq }))
  }
}
