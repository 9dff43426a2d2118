/** Streams the body of a request from texts and files. */
import { errnoText } from "../../Errno.ts"
import { FileType } from "../../Stat.ts"
import type { HttpRequestBody, System } from "../../System.ts"
import { openToRead } from "./files.ts"

/** Bytes, or a file by its path (`-` for standard input). */
export type BodyPart = Uint8Array | { readonly path: string; readonly offset?: number }

const pieceBytes = 65_536

/** A body that can be sent again, unless it reads standard input. */
export class RequestBody {
  readonly #system: System
  readonly #parts: ReadonlyArray<BodyPart>
  /** `undefined` if the length is unknown before the body is read. */
  readonly length: number | undefined
  readonly canRepeat: boolean
  /** Number of bytes that were pulled for the last request. */
  sent = 0
  /** The failure of reading a file. */
  failure: string | undefined

  constructor(system: System, parts: ReadonlyArray<BodyPart>, isChunked = false) {
    this.#system = system
    this.#parts = parts
    this.canRepeat = parts.every((part) => part instanceof Uint8Array || part.path !== "-")
    const sizes = parts.map((part) => {
      if (part instanceof Uint8Array) return part.length
      const stat = part.path === "-" ? undefined : system.stat(part.path)
      return typeof stat === "object" && stat.type === FileType.regularFile ? stat.size - (part.offset ?? 0) : NaN
    })
    const total = sizes.reduce((sum, size) => sum + size, 0)
    this.length = isChunked || Number.isNaN(total) ? undefined : total
  }

  open(): HttpRequestBody {
    const pieces = this.#pieces()
    this.sent = 0
    return {
      length: this.length,
      pull: async () => {
        const { done, value } = await pieces.next()
        if (done === true) return undefined
        this.sent += value.length
        return value
      },
    }
  }

  async *#pieces(): AsyncGenerator<Uint8Array, void> {
    const system = this.#system
    for (const part of this.#parts) {
      if (part instanceof Uint8Array) {
        yield part
        continue
      }
      const fd = openToRead(system, part.path)
      if (fd < 0) this.#fail(part.path, fd)
      if (part.offset !== undefined) system.seek(fd, part.offset, 0)
      for (;;) {
        const into = new Uint8Array(pieceBytes)
        const count = await system.read(fd, into)
        if (count < 0) this.#fail(part.path, count)
        if (count === 0) break
        yield into.subarray(0, count)
      }
      system.close(fd)
    }
  }

  #fail(path: string, errno: number): never {
    this.failure = `${path}: ${errnoText(errno)}`
    throw new Error(this.failure)
  }
}
