/**
 * A file that is empty and takes everything.
 *
 * Source: null(4).
 *
 * @module
 */
import { OpenFile } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import { nextInode, plainStat } from "./plainStat.ts"

/** Reads find the end, writes are thrown away. */
export class NullFile extends OpenFile {
  /** A device. */
  readonly type: FileType = FileType.characterDevice
  readonly #inode = nextInode()

  /** Nothing, ever. */
  override read(_into: Uint8Array): number {
    return 0
  }

  /** Takes everything. */
  override write(from: Uint8Array): number {
    return from.length
  }

  /** Always at 0, as Linux has it: what cannot seek is taken for a terminal (isatty(3)). */
  override seek(_offset: number, _whence: number): number {
    return 0
  }

  /** It is empty. */
  override stat(): Stat {
    return plainStat(this.type, this.#inode, 0)
  }
}
