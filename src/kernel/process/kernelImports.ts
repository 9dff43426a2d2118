/**
 * Implements the imports of the `codepod` namespace, the kernel's own: WASM programs spawn and await processes, make pipes,
 * close descriptors, call extensions of the host and fetch URLs, with JSON in their memory. Every failure is -1. A response
 * that does not fit into the caller's buffer is not written: the call returns its size, and the caller repeats it.
 */
import { encodeUtf8 } from "../../base/bytes.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import { isRecord } from "../../base/isObject.ts"
import { Errno } from "../Errno.ts"
import type { Memory } from "../wasi/GuestMemory.ts"
import type { Later, Pid } from "../System.ts"
import { callFromProcess, contextOf } from "../extension/runExtension.ts"
import type { Extension } from "./Extension.ts"
import type { NetworkCalls } from "../network/makeNetwork.ts"
import type { Process } from "./Process.ts"

export const suspendingKernelImports: ReadonlySet<string> = new Set([
  "host_waitpid",
  "host_network_fetch",
  "host_extension_invoke",
])

export type KernelImports = Readonly<Record<string, (...args: ReadonlyArray<number>) => Later<number>>>

export interface KernelImportsOptions {
  readonly process: Process
  readonly memory: () => Memory
  /** For a process that cannot wait: runs the child that it waits for. */
  readonly runChild: ((pid: Pid) => void) | undefined
  readonly network: NetworkCalls | undefined
  readonly extensions: ReadonlyMap<string, Extension>
}

const firstPipeFd = 3

/** Maximum size of a request in bytes. Once parsed, it takes many times as much memory of the host. */
const maxRequestBytes = 67_108_864

const isText = (value: unknown): value is string => typeof value === "string"
const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)
const isPair = (value: unknown): value is readonly [string, string] =>
  isList(value) && value.length === 2 && value.every(isText)
const isFd = (value: unknown): value is number => typeof value === "number" && Number.isInteger(value) && value >= 0

/**
 * Maximum bytes that one call of an extension may write to each output. Encoded in the response they take many times as
 * much.
 */
const maxOutputBytes = 16_777_216

class CollectedText {
  readonly #decoder = new TextDecoder()
  #size = 0
  text = ""

  /** Appends bytes; returns `false` beyond the limit. */
  add(bytes: Uint8Array): boolean {
    this.#size += bytes.length
    if (this.#size > maxOutputBytes) return false
    this.text += this.#decoder.decode(bytes, { stream: true })
    return true
  }
}

const readPairs = (value: unknown): ReadonlyArray<readonly [string, string]> | undefined => {
  const list = isRecord(value) ? Object.entries(value) : value
  return isList(list) && list.every(isPair) ? list : undefined
}

export const createKernelImports = (options: KernelImportsOptions): KernelImports => {
  const { extensions, memory, network, process, runChild } = options
  const range = (pointer = 0, length = 0): Uint8Array | undefined => {
    const { buffer } = memory()
    const start = pointer >>> 0
    return start + (length >>> 0) <= buffer.byteLength ? new Uint8Array(buffer, start, length >>> 0) : undefined
  }
  const request = (pointer?: number, length = 0): Readonly<Record<string, unknown>> | undefined => {
    const bytes = length >>> 0 > maxRequestBytes ? undefined : range(pointer, length)
    if (bytes === undefined) return undefined
    try {
      const value: unknown = JSON.parse(new TextDecoder().decode(bytes.slice()))
      return isRecord(value) ? value : undefined
    } catch {
      return undefined
    }
  }
  const encode = (value: unknown): Uint8Array => encodeUtf8(JSON.stringify(value))
  /** Writes a response if it fits, and returns its size. */
  const respond = (json: Uint8Array, pointer = 0, capacity = 0): number => {
    if (json.length > capacity >>> 0) return json.length
    const out = range(pointer, json.length)
    if (out === undefined) return -1
    out.set(json)
    return json.length
  }
  const fits = (size: number, pointer = 0, capacity = 0): boolean =>
    size <= capacity >>> 0 && range(pointer, size) !== undefined

  const waited = (pid: Pid, pointer?: number, capacity?: number): number => {
    const status = process.children.peek(pid)
    if (typeof status !== "object") return -1
    const json = encode({ exit_code: status.exitCode })
    // The child stays in the table until its status was written.
    if (fits(json.length, pointer, capacity)) process.children.take(pid)
    return respond(json, pointer, capacity)
  }

  /** A response that did not fit: the repeated request gets it without another call. */
  let pending: { readonly request: string; readonly json: Uint8Array } | undefined
  const respondOnce = (
    pointer = 0,
    length = 0,
    out: number | undefined,
    capacity: number | undefined,
    call: () => Later<Uint8Array>,
  ): Later<number> => {
    const key = new TextDecoder().decode(range(pointer, length)?.slice())
    const give = (json: Uint8Array): number => {
      pending = fits(json.length, out, capacity) ? undefined : { request: key, json }
      return respond(json, out, capacity)
    }
    const json = pending?.request === key ? pending.json : call()
    return json instanceof Promise ? json.then(give) : give(json)
  }
  const ended = new AbortController()
  process.onEnd.push(() => ended.abort())

  return {
    host_pipe: (pointer, capacity) => {
      const pipe = process.pipe(firstPipeFd)
      if (typeof pipe === "number") return -1
      const json = encode({ read_fd: pipe[0], write_fd: pipe[1] })
      if (!fits(json.length, pointer, capacity)) { for (const fd of pipe) process.close(fd) }
      return respond(json, pointer, capacity)
    },
    host_spawn: (pointer, length) => {
      const { args = [], cwd, env, prog, stderr_fd = 2, stdin_fd = 0, stdout_fd = 1 } = request(pointer, length) ?? {}
      const variables = env === undefined ? undefined : readPairs(env)
      if (
        !isText(prog) || !isList(args) || !args.every(isText) || (env !== undefined && variables === undefined) ||
        (cwd !== undefined && !isText(cwd)) || !isFd(stdin_fd) || !isFd(stdout_fd) || !isFd(stderr_fd)
      ) return -1
      const pid = process.spawn({
        program: prog,
        args: [prog, ...args],
        fds: [[0, stdin_fd], [1, stdout_fd], [2, stderr_fd]],
        ...variables && { env: variables },
        ...cwd !== undefined && { cwd },
      })
      return pid > 0 ? pid : -1
    },
    host_waitpid: (pid = 0, pointer, capacity) => {
      if (process.children.peek(pid) === undefined) runChild?.(pid)
      if (process.children.peek(pid) !== undefined) return waited(pid, pointer, capacity)
      if (runChild !== undefined) return -1
      return process.children.whenEnded(pid, undefined, true).then(() => waited(pid, pointer, capacity))
    },
    host_close_fd: (fd = -1) => process.close(fd) === 0 ? 0 : -1,
    host_extension_invoke: (pointer, length, out, capacity) => {
      const { args = [], cwd = process.cwd, env, name, stdin = "" } = request(pointer, length) ?? {}
      const variables = env === undefined ? [...process.env] : readPairs(env)
      if (!isText(name) || !isList(args) || !args.every(isText)) return -1
      if (!isText(stdin) || !isText(cwd) || variables === undefined) return -1
      const report = (exit_code: number, stdout: string, stderr: string) => encode({ exit_code, stdout, stderr })
      return respondOnce(pointer, length, out, capacity, () => {
        const extension = extensions.get(name)
        if (extension === undefined) return report(127, "", `${name}: there is no such extension\n`)
        if (process.sequential) return report(126, "", `${name}: cannot wait (errno ${Errno.ENOTSUP})\n`)
        const texts = { 1: new CollectedText(), 2: new CollectedText() }
        const input = new Blob([stdin]).stream()
        const invoked = callFromProcess(process, extension, {
          name,
          args,
          stdin: input,
          context: contextOf({ process, cwd, signal: ended.signal }, name, Object.fromEntries(variables), input),
          write: (fd, bytes) => texts[fd].add(bytes) ? 0 : -Errno.EFBIG,
        })
        return invoked.then((exitCode) => report(exitCode, texts[1].text, texts[2].text))
      })
    },
    host_network_fetch: (pointer, length, out, capacity) => {
      const { body, headers = [], method = "GET", url } = request(pointer, length) ?? {}
      const list = readPairs(headers)
      if (!isText(url) || !isText(method) || list === undefined) return -1
      if (body !== undefined && body !== null && !isText(body)) return -1
      const failed = (error: string) => encode({ ok: false, status: 0, headers: [], body: "", error })
      return respondOnce(pointer, length, out, capacity, () => {
        if (network === undefined) return failed("network: nothing is allowed")
        if (process.sequential) return failed(`network: cannot wait (errno ${Errno.ENOTSUP})`)
        const fetchRequest = { url, method, headers: Object.fromEntries(list), ...isText(body) && { body } }
        const fetched = network.fetch(fetchRequest, ended.signal).then(
          ({ body, headers, status }) =>
            encode({
              ok: status >= 200 && status < 300,
              status,
              headers,
              body: new TextDecoder().decode(body),
              error: null,
            }),
          (cause: unknown) => failed(errorMessage(cause)),
        )
        return process.until(fetched)
      })
    },
  }
}
