/** Collects what a script writes to pipes and terminals, in order, and writes it in large pieces. */
import { concatBytes, encodeUtf8 } from "../../../base/bytes.ts"
import { Errno } from "../../Errno.ts"
import type { System } from "../../System.ts"

const flushBytes = 65_536
/** Bytes that are held where a script cannot be suspended. */
const maxHeldBytes = 16_777_216

export class ScriptOutput {
  readonly #system: System
  readonly #canWait: () => boolean
  #pieces: Array<{ readonly fd: number; readonly bytes: Uint8Array }> = []
  #held = 0

  constructor(system: System, canWait: () => boolean) {
    this.#system = system
    this.#canWait = canWait
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0
  }

  /** Returns how many bytes were taken, all of them, or an errno. */
  put(fd: number, data: string | Uint8Array): number | Promise<number> {
    const bytes = typeof data === "string" ? encodeUtf8(data) : data.slice()
    if (bytes.length === 0) return 0
    if (typeof this.#system.fstat(fd) === "number") return -Errno.EBADF
    const canWait = this.#canWait()
    if (!canWait && this.#held + bytes.length > maxHeldBytes) return -Errno.ENOBUFS
    this.#pieces.push({ fd, bytes })
    this.#held += bytes.length
    if (!canWait || this.#held < flushBytes) return bytes.length
    return this.flush().then((written) => written < 0 ? written : bytes.length)
  }

  /** Writes what is held. Returns 0 or an errno. */
  async flush(): Promise<number> {
    const pieces = this.#pieces
    this.#pieces = []
    this.#held = 0
    for (let at = 0; at < pieces.length;) {
      const fd = pieces[at]?.fd ?? 1
      const parts: Array<Uint8Array> = []
      for (; pieces[at]?.fd === fd; at++) parts.push(pieces[at]?.bytes ?? new Uint8Array(0))
      const written = await this.#system.writeAll(fd, concatBytes(parts))
      if (written < 0) return written
    }
    return 0
  }
}
