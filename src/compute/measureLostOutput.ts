/** Measures the output that a lost command had written, from its journal entries. */
import * as Base64 from "effect/encoding/Base64"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { utf8Length } from "../base/utf8.ts"
import { decodeBranchEntry } from "../branch/BranchEntry.ts"
import { decodeEventEntry } from "../branch/BranchDefinition.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { noOutput, type PartialOutput } from "../command/ShellFault.ts"
import type { Entry } from "../journal/Entry.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { TextTail } from "../shell/TextTail.ts"
import { ComputeBranch } from "./ComputeBranch.ts"
import { faultTailLength, type OutputPlace, placeWith } from "./RunEnd.ts"
import type { ChunkRecord } from "./ShellOutputChunks.ts"

const batch = 64

/** Maximum number of counted entries: 256 MiB of output. Beyond it, the figures are minimums. */
const maxEntries = 4_096

const sizeOf = ({ base64, content }: ChunkRecord): number =>
  content !== undefined
    ? utf8Length(content)
    : Result.getOrElse(Base64.decode(base64 ?? ""), () => new Uint8Array()).length

export interface LostOutput {
  readonly output: PartialOutput
  readonly place: OutputPlace
}

class LostOutputCounter {
  readonly #exec: ShellExec
  #attempt = 0
  #place: OutputPlace = {}
  #sizes = { stdout: 0, stderr: 0 }
  #tails: { readonly stdout: TextTail; readonly stderr: TextTail } | undefined

  constructor(exec: ShellExec) {
    this.#exec = exec
  }

  see(entry: Entry): void {
    const decoded = decodeBranchEntry(ComputeBranch, entry)
    if (entry.tag === "ShellExec" || (decoded?._tag === "LeaseTaken" && decoded.attempt > this.#attempt)) {
      this.#attempt = decoded?._tag === "LeaseTaken" ? decoded.attempt : 0
      this.#place = {}
      this.#sizes = { stdout: 0, stderr: 0 }
      this.#tails = undefined
    }
    const event = decodeEventEntry(ComputeBranch, entry)
    if (event === undefined || Result.isFailure(event) || event.success._tag !== "ShellOutputChunks") return
    this.#place = placeWith(this.#place, event.success)
    for (const record of event.success.chunks) {
      this.#sizes[record.stream] += sizeOf(record)
      if (record.content !== undefined) this.#kept[record.stream].push(record.content)
    }
  }

  get place(): OutputPlace {
    return this.#place
  }

  get output(): PartialOutput {
    const { stderr, stdout } = this.#sizes
    // The texts are in the journal already, and are not stored again.
    return {
      ...noOutput,
      stdoutBytes: stdout,
      stderrBytes: stderr,
      stdoutBytesOmitted: this.#kept.stdout.take(stdout).bytesOmitted,
      stderrBytesOmitted: this.#kept.stderr.take(stderr).bytesOmitted,
    }
  }

  get #kept(): { readonly stdout: TextTail; readonly stderr: TextTail } {
    const { maxOutputBytes, streamOutput } = this.#exec
    const limit = streamOutput ? maxOutputBytes ?? faultTailLength : Infinity
    return this.#tails ??= { stdout: new TextTail(limit, "utf-8"), stderr: new TextTail(limit, "utf-8") }
  }
}

/**
 * Measures the output of the last attempt of a command. Zero when the journal cannot be read, because reporting the
 * lost command matters more.
 */
export const measureLostOutput = (
  journal: JournalService,
  exec: ShellExec,
): Effect.Effect<LostOutput> =>
  Effect.gen(function* () {
    const count = new LostOutputCounter(exec)
    const tags = [...ComputeBranch.request.tags, "LeaseTaken", "ShellOutputChunks"]
    const filter = { branch: ComputeBranch.name, correlationId: exec.commandId, tags }
    let after = 0
    for (let seen = 0; seen < maxEntries; seen += batch) {
      const entries = yield* journal.read({ after, filter, maxEntries: batch })
      for (const entry of entries) count.see(entry)
      const last = entries.at(-1)
      if (last === undefined) break
      after = last.position
      yield* Effect.yieldNow
    }
    return { output: count.output, place: count.place }
  }).pipe(Effect.catch(() => Effect.succeed({ output: noOutput, place: {} })))
