/**
 * Gives a command of the host files in place of the kernel's descriptors among its arguments, `/dev/fd/63` of
 * `diff <(a) <(b)`: in a private folder, filled before the command starts, or handed on when it has ended.
 *
 * Files and not FIFOs: opening a FIFO waits in a thread of the runtime until its other end is opened, which may be never.
 *
 * @module
 */
import { nodeBuiltins } from "../base/nodeBuiltins.ts"
import { reveal } from "../command/plain/secret.ts"
import type { Word } from "../command/Secret.ts"
import type { Process } from "../kernel/process/Process.ts"
import { PipeWriter } from "../kernel/process/Pipe.ts"

/** The arguments of a command with its files. */
export interface SubstitutedFiles {
  readonly words: ReadonlyArray<Word>
  /** Hands on what the command wrote. */
  readonly finish: () => Promise<void>
  readonly remove: () => void
}

/** Most bytes of one file. */
const maxBytes = 268_435_456
const chunkBytes = 65_536

const none = (words: ReadonlyArray<Word>): SubstitutedFiles => ({
  words,
  finish: () => Promise.resolve(),
  remove: () => {},
})

/** Replaces the arguments that name inherited descriptors, also as the value of an option. */
export const substituteFiles = async (process: Process, words: ReadonlyArray<Word>): Promise<SubstitutedFiles> => {
  const isNamed = (word: Word): boolean => /(?:^|=)\/dev\/fd\/\d+$/.test(reveal(word) ?? "")
  const builtins = nodeBuiltins()
  if (builtins === undefined || !words.some(isNamed)) return none(words)
  const fs = builtins.getBuiltinModule("node:fs")
  const { join } = builtins.getBuiltinModule("node:path")
  const folder = fs.mkdtempSync(join(builtins.getBuiltinModule("node:os").tmpdir(), "sluice-fd-"))
  const written: Array<readonly [fd: number, path: string]> = []
  const fill = async (fd: number, path: string): Promise<void> => {
    const handle = fs.openSync(path, "wx", 0o600)
    try {
      const buffer = new Uint8Array(chunkBytes)
      for (let total = 0; total < maxBytes;) {
        const count = await process.read(fd, buffer)
        if (count <= 0) return
        for (let at = 0; at < count;) at += fs.writeSync(handle, buffer, at, count - at)
        total += count
      }
      throw new Error(`a file of more than ${maxBytes} bytes`)
    } finally {
      fs.closeSync(handle)
    }
  }
  const hand = async (fd: number, path: string): Promise<void> => {
    const handle = fs.openSync(path, "r")
    try {
      const buffer = new Uint8Array(chunkBytes)
      for (;;) {
        const count = fs.readSync(handle, buffer, 0, buffer.length, null)
        if (count === 0 || await process.writeAll(fd, buffer.subarray(0, count)) < 0) return
      }
    } finally {
      fs.closeSync(handle)
    }
  }
  const remove = (): void => fs.rmSync(folder, { recursive: true, force: true })
  try {
    const replaced: Array<Word> = []
    for (const word of words) {
      const [, start = "", number = ""] = /^(.*?)\/dev\/fd\/(\d+)$/s.exec(reveal(word) ?? "") ?? []
      const file = process.descriptor(Number(number))?.file
      if (!isNamed(word) || file === undefined || Number(number) < 3) {
        replaced.push(word)
        continue
      }
      const path = join(folder, number)
      if (!(file instanceof PipeWriter)) await fill(Number(number), path)
      else {
        fs.writeFileSync(path, "", { mode: 0o600 })
        written.push([Number(number), path])
      }
      replaced.push(start + path)
    }
    return {
      words: replaced,
      finish: async () => {
        for (const [fd, path] of written) await hand(fd, path)
      },
      remove,
    }
  } catch (cause) {
    remove()
    throw cause
  }
}
