/**
 * Reads the first bytes of a regular file without blocking on a FIFO or opening a device.
 *
 * Source: open(2), fifo(7).
 */
import type * as NodeFs from "node:fs"

/**
 * Reads the first bytes of a regular file; `undefined` for anything else. Opening a FIFO blocks until a writer opens it, and
 * opening a device can act on it: so the path is checked, opened without blocking, and the open file checked again, because
 * the path may have changed. Throws the runtime's errors.
 */
export const readFileHead = (fs: typeof NodeFs, path: string, length: number): Uint8Array | undefined => {
  if (!fs.statSync(path).isFile()) return undefined
  const fd = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0))
  try {
    if (!fs.fstatSync(fd).isFile()) return undefined
    const head = new Uint8Array(length)
    return head.subarray(0, fs.readSync(fd, head, 0, length, 0))
  } finally {
    fs.closeSync(fd)
  }
}
