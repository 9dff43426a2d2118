/** Implements an open file that reads as empty and discards writes. Source: null(4). */
import { OpenFile } from "../OpenFile.ts"
import { FileType } from "../Stat.ts"

/** An open file that reads as empty and discards writes. */
export class NullFile extends OpenFile {
  /** A device. */
  readonly type: FileType = FileType.characterDevice

  /** Returns 0, the end. */
  override read(_into: Uint8Array): number {
    return 0
  }

  /** Discards the bytes. */
  override write(from: Uint8Array): number {
    return from.length
  }

  /** Always returns 0, as on Linux, because programs treat a file that cannot seek as a terminal (isatty(3)). */
  override seek(_offset: number, _whence: number): number {
    return 0
  }
}
