import { errnoName } from "../../../src/kernel/Errno.ts"
import type { OpenOptions } from "../../../src/kernel/FileSystem.ts"
import type { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import type { OpenFile } from "../../../src/kernel/OpenFile.ts"
import type { Stat } from "../../../src/kernel/Stat.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const bytes = (text: string): Uint8Array => encoder.encode(text)
export const text = (read: Uint8Array): string => decoder.decode(read)

/** A negative number by its name; everything else as it is. */
export const named = <A>(result: A | number): A | number | string =>
  typeof result === "number" && result < 0 ? errnoName(result) : result

/** What has to be there. */
export const must = <A>(result: A | number): A => {
  if (typeof result === "number") throw new Error(`it failed: ${errnoName(result)}`)
  return result
}

/** Opens, uses, closes. */
export const using = <A>(
  fs: VirtualFileSystem,
  path: string,
  options: OpenOptions,
  use: (file: OpenFile) => A | number,
): A | number => {
  const file = fs.open(fs.root, path, options)
  if (typeof file === "number") return file
  try {
    return use(file)
  } finally {
    file.release()
  }
}

/** Writes all of a text to a file that is created or cut. The count, or a negative errno. */
export const put = (fs: VirtualFileSystem, path: string, content: string | Uint8Array, mode = 0o644): number =>
  using(fs, path, { write: true, create: true, truncate: true, mode }, (file) => {
    const all = typeof content === "string" ? bytes(content) : content
    let done = 0
    while (done < all.length) {
      const count = file.write(all.subarray(done))
      if (count < 0) return count
      done += count
    }
    return done
  })

/** Reads a file to its end. */
export const readAll = (file: OpenFile): Uint8Array | number => {
  const parts: Array<number> = []
  const part = new Uint8Array(4096)
  for (;;) {
    const count = file.read(part)
    if (count < 0) return count
    if (count === 0) return Uint8Array.from(parts)
    for (const byte of part.subarray(0, count)) parts.push(byte)
  }
}

/** The text of a file, or the name of an errno. */
export const get = (fs: VirtualFileSystem, path: string): string => {
  const read = using(fs, path, { read: true }, readAll)
  return typeof read === "number" ? errnoName(read) : text(read)
}

/** The names in a folder, or the name of an errno. */
export const names = (fs: VirtualFileSystem, path: string): string => {
  const folder = fs.directory(fs.root, path)
  if (typeof folder === "number") return errnoName(folder)
  const listed = fs.list(folder)
  return typeof listed === "number" ? errnoName(listed) : listed.map(({ name }) => name).join(" ")
}

export const statOf = (fs: VirtualFileSystem, path: string, follow = true): Stat =>
  must(fs.stat(fs.root, path, { follow }))

/** A clock that goes on by a microsecond each time it is asked. */
export const ticking = (start = 1_000_000_000_000_000_000n): () => bigint => {
  let now = start
  return () => now += 1000n
}
