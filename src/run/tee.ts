/** Joins writers into one, and opens several resources, all or none. */
import type { ByteWriter } from "../shell/SpawnedProcess.ts"

/** Waits for all, and returns their values; after a failure, closes the opened resources and rejects with the first error. */
export const allOpened = async <A>(
  opening: ReadonlyArray<A | Promise<A>>,
  close: (opened: A) => Promise<unknown>,
): Promise<ReadonlyArray<A>> => {
  const settled = await Promise.allSettled(opening)
  const failed = settled.find((each) => each.status === "rejected")
  const opened = settled.flatMap((each) => each.status === "fulfilled" ? [each.value] : [])
  if (failed === undefined) return opened
  await Promise.all(opened.map(close))
  throw failed.reason
}

/** Writes to all destinations until one of them refuses. */
export const tee = (...all: ReadonlyArray<ByteWriter>): ByteWriter => ({
  write: async (bytes) => {
    const wanted = await Promise.all(all.map((each) => each.write(bytes)))
    return wanted.every((each) => each)
  },
  end: async () => {
    await Promise.all(all.map((each) => each.end()))
  },
})
