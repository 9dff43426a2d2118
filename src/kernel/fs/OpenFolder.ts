/** Implements an open folder, at which relative paths can start; reading and writing it fail. */
import { Errno } from "../Errno.ts"
import { type Directory, OpenFile } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import type { Folder } from "./Node.ts"

/** An open folder: reads fail with `-EISDIR`, writes with `-EBADF`; paths can start at `directory`. */
export class OpenFolder extends OpenFile {
  override readonly type: FileType = FileType.directory
  readonly #folder: Folder

  constructor(folder: Folder, flags: number) {
    super()
    this.#folder = folder
    this.flags = flags
  }

  override get directory(): Directory {
    return this.#folder
  }

  override read(_into: Uint8Array): number {
    return -Errno.EISDIR
  }

  override readAt(_offset: number, _into: Uint8Array): number {
    return -Errno.EISDIR
  }

  override writeAt(_offset: number, _from: Uint8Array): number {
    return -Errno.EBADF
  }

  override seek(_offset: number, _whence: number): number {
    return -Errno.EISDIR
  }

  override stat(): Stat | number {
    return this.#folder.stat()
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    return this.#folder.setTimes(accessed, modified)
  }

  override sync(): number {
    return 0
  }
}
