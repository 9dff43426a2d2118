/** Parses the records at the end of a zip archive, those of Zip64 included. Source: PKWARE's APPNOTE 6.3.10, 4.3.14 to 4.3.16. */
import { viewOf } from "../../../base/bytes.ts"
import { endBytes, largeNumber, maxUint32, signatures, ZipFormatError } from "./zipFormat.ts"

export const locatorBytes = 20
export const largeEndBytes = 56

/** The place of the central directory. */
export interface DirectoryLocation {
  readonly bytes: number
  readonly offset: number
}

/** Finds the end record in the last bytes of a file; `undefined` if there is none. `at` is where it is in them. */
export const parseEnd = (tail: Uint8Array): DirectoryLocation & { readonly at: number } | undefined => {
  const view = viewOf(tail)
  for (let at = tail.length - endBytes; at >= 0; at--) {
    if (view.getUint32(at, true) !== signatures.end) continue
    return { at, bytes: view.getUint32(at + 12, true), offset: view.getUint32(at + 16, true) }
  }
  return undefined
}

/** Whether numbers of the end record need more than 32 bits, so that another record has them. */
export const isLarge = ({ bytes, offset }: DirectoryLocation): boolean => bytes === maxUint32 || offset === maxUint32

/** Reads the Zip64 locator, which is before the end record: the offset of the Zip64 end record. */
export const parseLocator = (locator: Uint8Array): number => {
  const view = viewOf(locator)
  if (locator.length < locatorBytes || view.getUint32(0, true) !== signatures.locator) {
    throw new ZipFormatError("the central directory is damaged")
  }
  return largeNumber(view, 8)
}

/** Reads the Zip64 end record. */
export const parseLargeEnd = (record: Uint8Array): DirectoryLocation => {
  const view = viewOf(record)
  if (record.length < largeEndBytes || view.getUint32(0, true) !== signatures.largeEnd) {
    throw new ZipFormatError("the central directory is damaged")
  }
  return { bytes: largeNumber(view, 40), offset: largeNumber(view, 48) }
}
