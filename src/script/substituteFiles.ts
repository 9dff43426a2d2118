/**
 * Replaces the kernel's descriptors among the arguments of a host command by files, as in `diff <(a) <(b)`. The files
 * are filled before the command starts, or passed on when it has ended. FIFOs are not used, because opening one blocks
 * a thread of the runtime, perhaps forever.
 */
import { nodeBuiltins } from "../base/nodeBuiltins.ts"
import { reveal } from "../command/plain/secret.ts"
import type { Word } from "../command/Secret.ts"
import type { Process } from "../kernel/process/Process.ts"
import { PipeWriter } from "../kernel/process/Pipe.ts"
import { type PassedFile, passFile } from "./passFile.ts"

export interface SubstitutedFiles {
  /** Fills the files that the command reads; returns its arguments, with the words of its files. */
  readonly fill: () => Promise<ReadonlyArray<Word>>
  readonly finish: () => Promise<void>
  /** Closes all files; none can be made or used afterwards. */
  readonly remove: () => void
}

const maxBytes = 268_435_456
const chunkBytes = 65_536

/**
 * Replaces the arguments that name inherited descriptors. `sharesProc`: whether the command sees the `/proc` of this process.
 */
export const substituteFiles = (
  process: Process,
  words: ReadonlyArray<Word>,
  sharesProc: boolean,
): SubstitutedFiles => {
  const files = new Map<number, PassedFile>()
  const written = new Map<number, PassedFile>()
  let isRemoved = false

  const read = async (fd: number, file: PassedFile): Promise<void> => {
    const buffer = new Uint8Array(chunkBytes)
    for (let total = 0; total < maxBytes;) {
      const count = await process.read(fd, buffer)
      if (count <= 0) return
      file.write(buffer.subarray(0, count))
      total += count
    }
    throw new Error(`a file of more than ${maxBytes} bytes`)
  }

  const hand = async (fd: number, file: PassedFile): Promise<void> => {
    const buffer = new Uint8Array(chunkBytes)
    for (;;) {
      const count = file.read(buffer)
      if (count === 0 || await process.writeAll(fd, buffer.subarray(0, count)) < 0) return
    }
  }

  /** The path of the file for a descriptor; `undefined` if the command does not inherit the descriptor. */
  const wordOf = async (fd: number): Promise<string | undefined> => {
    const known = files.get(fd)
    if (known !== undefined) return known.word
    const [source, builtins] = [process.descriptor(fd)?.file, nodeBuiltins()]
    if (source === undefined || builtins === undefined || fd < 3) return undefined
    if (isRemoved) throw new Error("the command has ended")
    const file = passFile(builtins, sharesProc)
    files.set(fd, file)
    if (source instanceof PipeWriter) written.set(fd, file)
    else await read(fd, file)
    return file.word
  }

  return {
    fill: async () => {
      const replaced: Array<Word> = []
      for (const word of words) {
        const [, start = "", number] = /^(|.*?=)\/dev\/fd\/(\d+)$/s.exec(reveal(word) ?? "") ?? []
        const file = number === undefined ? undefined : await wordOf(Number(number))
        replaced.push(file === undefined ? word : start + file)
      }
      return replaced
    },
    finish: async () => {
      for (const [fd, file] of written) await hand(fd, file)
    },
    remove: () => {
      isRemoved = true
      for (const file of files.values()) file.close()
    },
  }
}
