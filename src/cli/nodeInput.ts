/** Opens a file or stdin on Node and Bun, to be read in chunks on demand. */
import type * as NodeFs from "node:fs"
import type * as NodeNet from "node:net"
import type * as NodeTty from "node:tty"
import type { InputReader } from "./CliProcess.ts"

export interface NodeReader {
  readonly read: () => unknown
  readonly on: (event: "readable" | "end" | "close" | "error", listener: (error?: unknown) => void) => unknown
  readonly destroy: () => unknown
}

export interface InputProcess {
  readonly versions: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeReader
  readonly getBuiltinModule: {
    (id: "node:net"): typeof NodeNet
    (id: "node:tty"): typeof NodeTty
  }
}

const bufferBytes = 65_536

const fileReader = (fs: typeof NodeFs, fd: number): InputReader => ({
  read: () =>
    new Promise((resolve, reject) => {
      const buffer = new Uint8Array(bufferBytes)
      fs.read(fd, buffer, 0, bufferBytes, null, (error, n) => {
        if (error !== null && error !== undefined) reject(error)
        else resolve(n === 0 ? undefined : buffer.subarray(0, n))
      })
    }),
  close: () => {
    if (fd > 2) fs.close(fd, () => {})
  },
})

const streamReader = (stream: NodeReader): InputReader => {
  let waiting:
    | { readonly resolve: (bytes: Uint8Array | undefined) => void; readonly reject: (e: unknown) => void }
    | undefined
  let failure: { readonly error: unknown } | undefined
  let ended = false
  const settle = (): void => {
    if (waiting === undefined) return
    const bytes = ended ? undefined : stream.read()
    const { reject, resolve } = waiting
    if (bytes instanceof Uint8Array) resolve(bytes)
    else if (failure !== undefined) reject(failure.error)
    else if (ended) resolve(undefined)
    else return
    waiting = undefined
  }
  const end = (): void => {
    ended = true
    settle()
  }
  stream.on("readable", settle)
  stream.on("end", end)
  stream.on("close", end)
  stream.on("error", (error) => {
    failure ??= { error }
    end()
  })
  return {
    read: () =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        settle()
      }),
    close: () => {
      stream.destroy()
    },
  }
}

const open = (fs: typeof NodeFs, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    fs.open(path, "r", (error, fd) => error === null ? resolve(fd) : reject(error))
  })

/**
 * Opens a file, or stdin for `-`. On Node the event loop reads inputs that may never bring a byte (a pipe, a terminal): a
 * thread that blocks in a read would keep Node from exiting.
 */
export const openNodeInput = async (
  process: InputProcess,
  fs: typeof NodeFs,
  source: string,
): Promise<InputReader> => {
  const fd = source === "-" ? 0 : await open(fs, source)
  const stat = fs.fstatSync(fd)
  if (process.versions["bun"] !== undefined || stat.isFile()) return fileReader(fs, fd)
  if (fd === 0) return streamReader(process.stdin)
  if (stat.isFIFO()) return streamReader(new (process.getBuiltinModule("node:net").Socket)({ fd, writable: false }))
  const tty = process.getBuiltinModule("node:tty")
  return tty.isatty(fd) ? streamReader(new tty.ReadStream(fd)) : fileReader(fs, fd)
}
