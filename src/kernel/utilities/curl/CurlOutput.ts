/** Writes the received bytes of a transfer to standard output or to a file, which is opened with the first byte. */
import { errnoText } from "../../Errno.ts"
import type { System } from "../../System.ts"
import { makeParents } from "../http/files.ts"
import { CurlError } from "./CurlError.ts"

export interface CurlOutputOptions {
  /** `undefined` for standard output. */
  readonly path: string | undefined
  readonly append: boolean
  readonly createsFolders: boolean
  /** Whether an existing file is an error. */
  readonly isExclusive: boolean
  readonly warn: (message: string) => void
}

export class CurlOutput {
  readonly #system: System
  readonly #options: CurlOutputOptions
  #path: string | undefined
  #fd: number | undefined
  /** Position before the transfer, to which a retry returns. */
  #start = 0
  /** Bytes that were written. */
  written = 0

  constructor(system: System, options: CurlOutputOptions) {
    this.#system = system
    this.#options = options
    this.#path = options.path
  }

  get path(): string | undefined {
    return this.#path
  }

  /** Changes the name of the file, before it is opened. */
  rename(path: string): void {
    if (this.#fd === undefined) this.#path = path
  }

  #fail(path: string, errno: number): never {
    this.#options.warn(`Failed to open the file ${path}: ${errnoText(errno)}`)
    throw new CurlError(23, "Failure writing output to destination")
  }

  /** Opens the file, if there is one and it is not open. */
  open(): number {
    const path = this.#path
    if (path === undefined) return 1
    if (this.#fd !== undefined) return this.#fd
    const { append, createsFolders, isExclusive } = this.#options
    const made = createsFolders ? makeParents(this.#system, path) : 0
    if (made < 0) this.#fail(path, made)
    const flags = append ? 1 : 0
    const fd = this.#system.open(path, { write: true, create: true, truncate: !append, exclusive: isExclusive, flags })
    if (fd < 0) this.#fail(path, fd)
    const stat = append ? this.#system.fstat(fd) : undefined
    this.#start = typeof stat === "object" ? stat.size : 0
    this.#fd = fd
    return fd
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return
    const written = await this.#system.writeAll(this.open(), bytes)
    if (written < 0) throw new CurlError(23, "Failure writing output to destination")
    this.written += bytes.length
  }

  /** Removes the bytes that were written to a file, for another attempt. */
  reset(): void {
    if (this.#fd === undefined) return
    this.#system.truncate(this.#fd, this.#start)
    this.#system.seek(this.#fd, this.#start, 0)
    this.written = 0
  }

  close(modified?: bigint): void {
    if (this.#fd === undefined) return
    this.#system.close(this.#fd)
    this.#fd = undefined
    if (modified !== undefined && this.#path !== undefined) this.#system.setTimes(this.#path, undefined, modified)
  }

  remove(): void {
    const wasOpen = this.#fd !== undefined
    this.close()
    if (wasOpen && this.#path !== undefined) this.#system.unlink(this.#path)
  }
}
