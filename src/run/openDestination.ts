/** Opens, writes and closes destinations of output: files, Web streams, this program's own outputs. */
import type { ByteWriter } from "../shell/SpawnedProcess.ts"
import { allOpened, tee } from "./tee.ts"
import type { ByteSink, RunOutputFile, TeeTarget } from "./RunOptions.ts"
import { pathText } from "./argumentWords.ts"

/** A destination that is closed when the command has ended. */
export interface Destination extends ByteWriter {
  /** Closes the destination; resolves with its failure, if any. */
  readonly finish: () => Promise<unknown>
}

/**
 * Makes a destination of two functions. Keeps the first failure: the command sees a closed pipe, and the caller gets
 * the failure.
 */
const destination = (write: (bytes: Uint8Array) => Promise<unknown>, close: () => Promise<unknown>): Destination => {
  let failure: unknown
  let closing: Promise<void> | undefined
  const keep = (error: unknown): void => {
    failure ??= error ?? new Error("it was closed")
  }
  const end = (): Promise<void> => closing ??= close().then(() => {}, keep)
  return {
    write: async (bytes) => {
      if (failure !== undefined) return false
      try {
        await write(bytes)
        return true
      } catch (error) {
        keep(error)
        return false
      }
    },
    end,
    finish: async () => {
      await end()
      return failure
    },
  }
}

const fileDestination = async ({ append = false, file }: RunOutputFile, resolve: (path: string) => string) => {
  const { open } = await import("node:fs/promises")
  const handle = await open(resolve(pathText(file)), append ? "a" : "w")
  return destination(
    async (bytes) => {
      for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten
    },
    () => handle.close(),
  )
}

const streamDestination = (stream: ByteSink): Destination => {
  const writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>> = stream.getWriter()
  // Reported by the next write, or at the end.
  writer.closed.catch(() => {})
  // A copy: the buffer is reused.
  return destination((bytes) => writer.write(bytes.slice()), () => writer.close())
}

const ownDestination = async (output: "stdout" | "stderr"): Promise<Destination> => {
  const { default: process } = await import("node:process")
  return destination(
    (bytes) =>
      new Promise<void>((resolve, reject) => {
        process[output].write(bytes, (error) => error === null || error === undefined ? resolve() : reject(error))
      }),
    () => Promise.resolve(),
  )
}

/** Opens a destination, or several as one. `resolve` makes a path absolute. Rejects with the error of opening it. */
export const openDestination = async (
  target: TeeTarget | ReadonlyArray<TeeTarget>,
  output: "stdout" | "stderr",
  resolve: (path: string) => string,
): Promise<Destination> => {
  if (target === "inherit") return ownDestination(output)
  if (target instanceof WritableStream) return streamDestination(target)
  if ("file" in target) return fileDestination(target, resolve)
  const opening = target.map((each) => openDestination(each, output, resolve))
  const all = await allOpened(opening, (each) => each.finish())
  return {
    ...tee(...all),
    finish: async () => {
      const failures = await Promise.all(all.map((each) => each.finish()))
      return failures.find((failure) => failure !== undefined)
    },
  }
}
