/**
 * Lines of bytes that come piece by piece.
 *
 * @module
 */
import type { ByteSource } from "./CommandRun.ts"

/** Settings of reading lines. */
export interface LineOptions {
  readonly encoding: string
  /** Characters after which a line without an end is an error. */
  readonly maxLength: number
  /** Called at the end; throws what the run failed with. */
  readonly end: () => Promise<unknown>
}

/** Cuts at `\n` and `\r\n`. What comes after the last end is a line too, if there is something. */
async function* cut(source: ByteSource, { encoding, end, maxLength }: LineOptions): AsyncGenerator<string, void> {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true })
  let rest = ""
  for (let bytes = await source.read(); bytes !== undefined; bytes = await source.read()) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    if (rest.length > maxLength) throw new RangeError(`a line has more than ${maxLength} characters and no end`)
    for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line
  }
  rest += decoder.decode()
  if (rest !== "") yield rest
  await end()
}

/** The lines of a source that is opened when the first is asked for. Leaving the loop gives the rest up. */
export const readLines = (open: () => ByteSource, options: LineOptions): AsyncIterable<string> => ({
  [Symbol.asyncIterator]: () => {
    let source: ByteSource | undefined
    let lines: AsyncGenerator<string, void> | undefined
    const leave = async (): Promise<void> => {
      // Before the generator is asked to: it may wait for a read that never ends.
      await source?.cancel()
      await lines?.return()
    }
    return {
      next: async () => {
        source ??= open()
        lines ??= cut(source, options)
        try {
          return await lines.next()
        } catch (error) {
          await leave()
          throw error
        }
      },
      return: async () => {
        await leave()
        return { done: true, value: undefined }
      },
    }
  },
})
