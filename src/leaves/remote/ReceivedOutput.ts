/** Keeps the last output that came from a server, for the fault of a command whose end the server never reports. */
import { utf8Length } from "../../base/utf8.ts"
import type { ShellOutputChunk } from "../../command/ShellEvent.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { type ShellFault, withFaultFields } from "../../command/ShellFault.ts"
import { encodingOf } from "../../shell/OutputSink.ts"
import { TextTail } from "../../shell/TextTail.ts"

/** Length of the text that is kept of each stream by default; the consumer has already received all of it. */
const tailLength = 65_536

export class ReceivedOutput {
  readonly #exec: ShellExec
  readonly #bytes = { stdout: 0, stderr: 0 }
  #isUtf8 = true
  #tails: { readonly stdout: TextTail; readonly stderr: TextTail } | undefined

  constructor(exec: ShellExec) {
    this.#exec = exec
  }

  /** Counts a chunk, and keeps its text. Only a command of a known encoding has chunks. */
  push({ content, stream }: ShellOutputChunk): void {
    const tails = this.#tails ??= this.#makeTails()
    tails[stream].push(content)
    this.#bytes[stream] += this.#isUtf8 ? utf8Length(content) : content.length
  }

  #makeTails(): { readonly stdout: TextTail; readonly stderr: TextTail } {
    const encoding = encodingOf(this.#exec)
    const limit = this.#exec.maxOutputBytes ?? tailLength
    this.#isUtf8 = encoding === "utf-8"
    return { stdout: new TextTail(limit, encoding), stderr: new TextTail(limit, encoding) }
  }

  /** Adds the output to a fault that this side made; a fault of the server already has its output. */
  attachTo(fault: ShellFault): ShellFault {
    if (this.#tails === undefined || fault.stdoutBytes > 0 || fault.stderrBytes > 0) return fault
    const [stdout, stderr] = [this.#tails.stdout.take(this.#bytes.stdout), this.#tails.stderr.take(this.#bytes.stderr)]
    return withFaultFields(fault, {
      stdout: stdout.text,
      stderr: stderr.text,
      stdoutBytes: this.#bytes.stdout,
      stderrBytes: this.#bytes.stderr,
      stdoutBytesOmitted: stdout.bytesOmitted,
      stderrBytesOmitted: stderr.bytesOmitted,
    })
  }
}
