/** Reads the members of a tar archive one after the other. */
import { errorMessage } from "../../../base/errorMessage.ts"
import { blockBytes, padding, type TarEntry } from "../../fs/tar.ts"
import { TarHeaders } from "../../fs/tarReader.ts"
import type { ByteReader } from "./ByteReader.ts"
import { readSparseMap } from "./sparseMap.ts"

/** Maximum bytes that describe one member, with its long names and records, and of those that describe all members. */
const maxMetadataBytes = 65_536

/** Maximum length of a path and of a link's target. */
const maxPathLength = 4_096

export class TarFormatError extends Error {}

/** Bytes, valid until the next piece, or the length of a hole. */
export type MemberPiece = Uint8Array | number

/** A member, whose bytes are to be read or are skipped before the next one. */
export interface StreamedMember {
  readonly entry: TarEntry
  readonly pieces: () => AsyncGenerator<MemberPiece>
  /** Offset of its first header in the archive, and of the end of its bytes. */
  readonly start: number
  readonly end: number
}

const truncated = (): TarFormatError =>
  new TarFormatError("Unexpected EOF in archive\ntar: Error is not recoverable: exiting now")

const tooLong = (): TarFormatError => new TarFormatError("the names of a member are too long")

/** Yields members up to the end of the archive. */
export async function* readMembers(reader: ByteReader): AsyncGenerator<StreamedMember> {
  const headers = new TarHeaders()
  let offset = 0
  let start = 0
  let globalBytes = 0
  let ownBytes = 0
  for (;;) {
    const head = await reader.take(blockBytes)
    if (head.length === 0 && offset > 0) return
    if (head.length < blockBytes) {
      throw offset === 0 ? new TarFormatError("This does not look like a tar archive") : truncated()
    }
    const header = parse(() => headers.parse(head))
    if (header === undefined) return
    offset += blockBytes
    const padded = header.stored + padding(header.stored).length
    if (header.isMetadata) {
      if (header.flag === "g") globalBytes += header.stored
      else ownBytes += header.stored
      if (Math.max(globalBytes, ownBytes) > maxMetadataBytes) throw tooLong()
      const content = await reader.take(header.stored)
      if (content.length < header.stored || !await reader.skip(padded - header.stored)) throw truncated()
      parse(() => headers.addMetadata(header.flag, content))
      offset += padded
      continue
    }
    ownBytes = 0
    const given = parse(() => headers.takeEntry(head, header))
    const sparse = await readSparseMap(reader, head, header.flag, given).catch((cause: unknown) => {
      throw new TarFormatError(`${given.path}: ${errorMessage(cause)}`)
    })
    const entry = sparse?.entry ?? given
    if (Math.max(entry.path.length, entry.target.length) > maxPathLength) throw tooLong()
    const extents = sparse?.extents ?? [{ offset: 0, length: header.stored }]
    let left = header.stored - (sparse?.mapBytes ?? 0)
    if (extents.reduce((sum, { length }) => sum + length, 0) > left) {
      throw new TarFormatError(`${entry.path}: the map of a sparse file is invalid`)
    }
    const pieces = async function* (): AsyncGenerator<MemberPiece> {
      let at = 0
      for (const extent of extents) {
        if (extent.offset > at) yield extent.offset - at
        at = extent.offset + extent.length
        let missing = extent.length
        for await (const piece of reader.pieces(extent.length)) {
          left -= piece.length
          missing -= piece.length
          yield piece
        }
        if (missing > 0) throw truncated()
      }
      if (sparse !== undefined && entry.size > at) yield entry.size - at
    }
    offset += padded + (sparse?.blocksBytes ?? 0)
    yield { end: offset, entry, pieces, start }
    if (!await reader.skip(left + padded - header.stored)) throw truncated()
    start = offset
  }
}

const parse = <A>(step: () => A): A => {
  try {
    return step()
  } catch {
    throw new TarFormatError("This does not look like a tar archive")
  }
}
