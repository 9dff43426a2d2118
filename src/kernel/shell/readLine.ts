/** Reads a line of text from a descriptor and not a byte more, so that the next command reads the rest. */
import { Errno } from "../Errno.ts"
import { Whence } from "../OpenFile.ts"
import type { Later } from "../System.ts"
import type { Shell } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"
import { decodeLossless } from "../../base/surrogateEscape.ts"

const blockSize = 4_096

/** Maximum length of a line of a script, the same as that of a whole script. */
const maxLineBytes = 4_194_304

/** Reads single bytes. Unused bytes of a file are unread; a pipe is read byte by byte. */
export class ByteReader {
  readonly #shell: Shell
  readonly #fd: number
  readonly #buffer: Uint8Array
  #at = 0
  #end = 0

  constructor(shell: Shell, fd: number) {
    this.#shell = shell
    this.#fd = fd
    const seekable = shell.system.seek(fd, 0, Whence.current) >= 0
    this.#buffer = new Uint8Array(seekable ? blockSize : 1)
  }

  /** Returns the next byte; -1 at the end, `undefined` if {@link fill} has to be called first. */
  take(): number | undefined {
    return this.#at < this.#end ? this.#buffer[this.#at++] : this.#end < 0 ? -1 : undefined
  }

  /** Reads more bytes; returns their number or a negated errno. */
  fill(): Later<number> {
    const later = this.#shell.system.read(this.#fd, this.#buffer)
    return typeof later === "number" ? this.#filled(later) : later.then((count) => this.#filled(count))
  }

  #filled(count: number): number {
    this.#at = 0
    // An interrupted read is not the end of the file.
    this.#end = count === -Errno.EINTR ? 0 : count > 0 ? count : -1
    return count
  }

  /** Moves the position of a file back to the first unused byte. */
  unreadRest(): void {
    if (this.#end > this.#at) this.#shell.system.seek(this.#fd, this.#at - this.#end, Whence.current)
  }
}

/** Reads a line without its newline; `undefined` at the end of the file. */
export const readLine = async (shell: Shell, fd: number): Promise<string | undefined> => {
  const real = shell.descriptors.get(fd)
  if (real === undefined) return undefined
  const reader = new ByteReader(shell, real)
  const bytes: Array<number> = []
  for (;;) {
    const byte = reader.take()
    if (byte === undefined) {
      const filled = reader.fill()
      const count = typeof filled === "number" ? filled : await filled
      if (count < 0 && count !== -Errno.EINTR) break
    } else if (byte === 10) {
      reader.unreadRest()
      return decodeLossless(Uint8Array.from(bytes))
    } else if (byte < 0) break
    else if (bytes.push(byte) > maxLineBytes) throw new ShellError("a line is too long", "shell")
  }
  return bytes.length === 0 ? undefined : decodeLossless(Uint8Array.from(bytes))
}
