/** Downloads one URL of wget, with redirects and attempts, to its file. Source: wget(1). */
import { textToBinary } from "../../binaryString.ts"
import { Errno, errnoText } from "../../Errno.ts"
import type { HttpResponse, System } from "../../System.ts"
import { decodePart } from "../http/decodePart.ts"
import { makeParents } from "../http/files.ts"
import { BodyError, readBody } from "../http/readResponse.ts"
import { RequestBody } from "../http/RequestBody.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { DownloadError, requestFailure, WgetExit } from "./DownloadError.ts"
import { nameOf } from "./nameOf.ts"
import { shortSize, speedText, type WgetLog } from "./WgetLog.ts"

/** Standard output or the file of `-O`, which all URLs share. */
export interface SharedOutput {
  readonly name: string
  readonly fd: number
}

const maxWaitSeconds = 10

const valueOf = ({ headers }: HttpResponse, name: string): string | undefined =>
  headers.findLast(([each]) => each.toLowerCase() === name)?.[1]

export class Download {
  readonly #io: UtilityIo
  readonly #system: System
  readonly #log: WgetLog
  readonly #shared: SharedOutput | undefined
  readonly #text: string
  /** Position in the file of `-O` at which this URL begins. */
  #sharedStart: number | undefined
  /** The file that an attempt has opened. */
  #saved: string | undefined

  constructor(io: UtilityIo, log: WgetLog, shared: SharedOutput | undefined, text: string) {
    this.#io = io
    this.#system = io.system
    this.#log = log
    this.#shared = shared
    this.#text = text
  }

  /** Runs the download, with further attempts. Returns the exit code. */
  async run(): Promise<number> {
    const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(this.#text) ?? []
    if (scheme !== undefined && !/^https?$/i.test(scheme)) {
      this.#log.error(`${this.#text}: Unsupported scheme ‘${scheme}’.\n`)
      return WgetExit.generic
    }
    const whole = scheme === undefined ? `http://${this.#text}` : this.#text
    if (!URL.canParse(whole) || /\s/.test(whole)) {
      this.#log.error(`${this.#text}: Invalid URL.\n`)
      return WgetExit.generic
    }
    const url = new URL(whole)
    url.hash = ""
    const given = Number(this.#io.value("t") ?? 20)
    const tries = given > 0 ? given : Infinity
    for (let attempt = 1;; attempt++) {
      try {
        await this.#attempt(url, attempt)
        return 0
      } catch (cause) {
        if (!(cause instanceof DownloadError)) throw cause
        const isLast = !cause.canRetry || attempt >= tries
        this.#log.error(cause.message)
        if (cause.canRetry) this.#log.error(isLast ? "Giving up.\n\n" : "Retrying.\n\n")
        if (isLast) return cause.exitCode
        await this.#io.flushAndYield()
        await this.#system.sleep(Math.min(attempt, Number(this.#io.value("waitretry") ?? maxWaitSeconds)) * 1000)
      }
    }
  }

  async #attempt(first: URL, attempt: number): Promise<void> {
    const io = this.#io
    const maxRedirects = Number(io.value("max-redirect") ?? 20)
    let url = new URL(first)
    const user = io.value("user") ?? io.value("http-user") ?? decodePart(url.username)
    const password = io.value("password") ?? io.value("http-password") ?? decodePart(url.password)
    url.username = url.password = ""
    const { origin } = url
    let { body, method } = this.#body()
    for (let redirects = 0;; redirects++) {
      const count = attempt > 1 ? `(try:${String(attempt).padStart(2)})` : ""
      this.#log.full(`--${this.#log.time}--${count}  ${url.href}\n`)
      const response = await this.#request(
        url,
        method,
        body,
        url.origin === origin && user !== "" ? `${user}:${password}` : undefined,
      )
      try {
        const location = response.status >= 300 && response.status < 400 ? valueOf(response, "location") : undefined
        if (location === undefined || !URL.canParse(location, url)) return await this.#receive(response, url, first)
        if (redirects >= maxRedirects) {
          throw new DownloadError(WgetExit.server, `${maxRedirects} redirections exceeded.\n`)
        }
        this.#log.full(`Location: ${location} [following]\n`)
        url = new URL(location, url)
        url.username = url.password = url.hash = ""
        if (response.status <= 303 && method !== "HEAD") [method, body] = ["GET", undefined]
        if (body?.canRepeat === false) throw new DownloadError(WgetExit.generic, "the body cannot be sent again\n")
      } finally {
        this.#system.close(response.fd)
      }
    }
  }

  #body(): { readonly method: string; readonly body: RequestBody | undefined } {
    const io = this.#io
    const text = io.value("post-data") ?? io.value("body-data")
    const path = io.value("post-file") ?? io.value("body-file")
    const posts = io.lastOf("post-data", "post-file") !== undefined
    const method = io.value("method")?.toUpperCase() ?? (io.has("spider") ? "HEAD" : posts ? "POST" : "GET")
    if (text === undefined && path === undefined) return { method, body: undefined }
    return {
      method,
      body: new RequestBody(io.system, [path === undefined ? new TextEncoder().encode(text) : { path }]),
    }
  }

  async #request(
    url: URL,
    method: string,
    body: RequestBody | undefined,
    user: string | undefined,
  ): Promise<HttpResponse> {
    const io = this.#io
    const agent = io.value("U") ?? "Wget/1.21.3"
    const resumed = io.has("c") && this.#shared === undefined ? this.#sizeOf(this.#path(url)) : 0
    const stat = io.has("N") ? this.#system.stat(this.#path(url)) : undefined
    const since = typeof stat === "object" ? new Date(Number(stat.modified / 1_000_000n)).toUTCString() : undefined
    const headers: Array<readonly [string, string]> = [
      ...(since === undefined ? [] : [["If-Modified-Since", since] as const]),
      ...(resumed > 0 ? [["Range", `bytes=${resumed}-`] as const] : []),
      ...(io.value("referer") === undefined ? [] : [["Referer", io.value("referer") ?? ""] as const]),
      ...(agent === "" ? [] : [["User-Agent", agent] as const]),
      ["Accept", "*/*"],
      ["Accept-Encoding", "identity"],
      ...(user === undefined ? [] : [["Authorization", `Basic ${btoa(textToBinary(user))}`] as const]),
      ["Connection", "Keep-Alive"],
      ...(body === undefined ? [] : [["Content-Type", "application/x-www-form-urlencoded"] as const]),
    ]
    for (const line of io.values("header")) {
      const [, name = "", value = ""] = /^([^:]*):([^]*)$/.exec(line) ?? []
      if (name === "") throw new DownloadError(WgetExit.parse, `wget: --header: Invalid header ‘${line}’.\n`)
      const at = headers.findIndex(([each]) => each.toLowerCase() === name.toLowerCase())
      if (at >= 0) headers[at] = [name, value.trim()]
      else headers.push([name, value.trim()])
    }
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const port = url.port === "" ? url.protocol === "https:" ? "443" : "80" : url.port
    const seconds = Number(io.value("T") ?? 900)
    const connectSeconds = Number(io.value("connect-timeout") ?? 0)
    const answer = await this.#system.request({
      url: url.href,
      method,
      headers,
      body: body?.open(),
      timeoutMillis: seconds > 0 ? seconds * 1000 : undefined,
      connectTimeoutMillis: connectSeconds > 0 ? connectSeconds * 1000 : undefined,
    })
    if (answer._tag === "Failure") {
      if (body?.failure !== undefined) throw new DownloadError(WgetExit.file, `${body.failure}\n`)
      throw requestFailure(answer, host, port)
    }
    this.#log.full(`Connecting to ${host}:${port}... connected.\n`)
    this.#log.full(`${url.protocol === "https:" ? "HTTPS" : "HTTP"} request sent, awaiting response... `)
    if (io.has("S")) {
      const lines = [
        `${answer.version} ${answer.status} ${answer.statusText}`,
        ...answer.headers.map((pair) => pair.join(": ")),
      ]
      this.#log.full("\n")
      this.#log.error(lines.map((line) => `  ${line}\n`).join(""))
    } else this.#log.full(`${answer.status} ${answer.statusText}\n`)
    return answer
  }

  /** The file of a URL, if it is not that of `-O`. */
  #path(url: URL): string {
    const folder = this.#io.value("P")
    return folder === undefined ? nameOf(url) : `${folder.replace(/\/$/, "")}/${nameOf(url)}`
  }

  #sizeOf(path: string): number {
    const stat = this.#system.stat(path)
    return typeof stat === "object" ? stat.size : 0
  }

  async #receive(response: HttpResponse, url: URL, first: URL): Promise<void> {
    const io = this.#io
    const { status, statusText } = response
    if (io.has("N") && status === 304) {
      this.#log.full(`File ‘${this.#path(url)}’ not modified on server. Omitting download.\n\n`)
      return
    }
    if (io.has("c") && this.#shared === undefined && status === 416) {
      this.#log.full("\n    The file is already fully retrieved; nothing to do.\n\n")
      return
    }
    if (status >= 400 && io.has("spider")) {
      this.#log.brief(`${url.href}:\n`)
      throw new DownloadError(WgetExit.server, "Remote file does not exist -- broken link!!!\n")
    }
    if (status >= 400) {
      this.#log.brief(`${url.href}:\n`)
      throw new DownloadError(WgetExit.server, `${this.#log.time} ERROR ${status}: ${statusText}.\n${this.#blank}`)
    }
    const length = valueOf(response, "content-length")
    const type = valueOf(response, "content-type")?.replace(/;.*/, "")
    const size = length === undefined
      ? "unspecified"
      : Number(length) < 1024
      ? length
      : `${length} (${shortSize(Number(length))})`
    this.#log.full(`Length: ${size}${type === undefined ? "" : ` [${type}]`}\n`)
    if (io.has("spider")) {
      this.#log.full("Remote file exists.\n\n")
      this.#log.brief(`${this.#log.time} URL: ${url.href} ${status} ${statusText}\n`)
      return
    }
    await this.#save(response, url, first, length === undefined ? undefined : Number(length))
  }

  /** An empty line that ends a message of the usual form. */
  get #blank(): string {
    return this.#io.has("no-verbose") ? "" : "\n"
  }

  #open(response: HttpResponse, first: URL): SharedOutput & { readonly start: number } {
    if (this.#shared !== undefined) {
      const { fd } = this.#shared
      // A further attempt overwrites the output of the previous one.
      this.#sharedStart ??= Math.max(0, fd > 2 ? this.#system.seek(fd, 0, 2) : 0)
      if (fd > 2) this.#system.truncate(fd, this.#sharedStart)
      if (fd > 2) this.#system.seek(fd, this.#sharedStart, 0)
      return { ...this.#shared, start: 0 }
    }
    const io = this.#io
    const isResumed = response.status === 206
    let path = this.#saved ?? this.#path(first)
    if (this.#saved === undefined && !isResumed && !io.has("N") && !io.has("c")) {
      const plain = path
      for (let at = 1; typeof this.#system.stat(path) === "object" && at < 10_000; at++) path = `${plain}.${at}`
    }
    const made = makeParents(this.#system, path)
    const fd = made < 0 ? made : io.openOutput(path, isResumed)
    if (fd < 0) throw new DownloadError(WgetExit.file, `${path}: ${errnoText(fd)}\n`)
    this.#saved = path
    return { name: path, fd, start: isResumed ? this.#sizeOf(path) : 0 }
  }

  async #save(response: HttpResponse, url: URL, first: URL, length: number | undefined): Promise<void> {
    const system = this.#system
    const { fd, name, start } = this.#open(response, first)
    const began = Number(system.monotonic()) / 1e6
    this.#log.full(`Saving to: ‘${name === "-" ? "STDOUT" : name}’\n`)
    let received = 0
    await this.#io.flushAndYield()
    try {
      const seconds = Number(this.#io.value("T") ?? 900)
      const pieces = readBody(system, response, undefined, seconds > 0 ? seconds * 1000 : undefined)
      for await (const piece of pieces) {
        const written = await system.writeAll(fd, piece)
        if (written < 0) throw new DownloadError(WgetExit.file, `Cannot write to ‘${name}’ (${errnoText(written)}).\n`)
        received += piece.length
      }
    } catch (cause) {
      if (!(cause instanceof BodyError)) throw cause
      const why = cause.reason === "Timeout" ? "Connection timed out" : "Connection closed"
      const canRetry = this.#shared === undefined || received === 0 || this.#shared.fd > 2
      throw new DownloadError(WgetExit.network, `${this.#log.time} (${why} at byte ${received}). `, canRetry)
    } finally {
      if (this.#shared === undefined) system.close(fd)
    }
    const modified = Date.parse(valueOf(response, "last-modified") ?? "")
    if (this.#shared === undefined && !Number.isNaN(modified)) {
      system.setTimes(name, undefined, BigInt(modified) * 1_000_000n)
    }
    const total = start + received
    const sizes = length === undefined ? `${total}` : `${total}/${start + length}`
    const millis = Number(system.monotonic()) / 1e6 - began
    const verb = this.#shared === undefined ? "saved" : name === "-" ? "written to stdout" : "saved"
    this.#log.full(
      `\n\n${this.#log.time} (${speedText(received, millis)}) - ${
        name === "-" ? "" : `‘${name}’ `
      }${verb} [${sizes}]\n\n`,
    )
    this.#log.brief(`${this.#log.time} URL:${url.href} [${sizes}] -> "${name}" [1]\n`)
  }

  /** Whether the file exists and `-nc` keeps it. */
  get isKept(): boolean {
    const whole = /^https?:\/\//i.test(this.#text) ? this.#text : `http://${this.#text}`
    if (!this.#io.has("no-clobber") || this.#shared !== undefined || !URL.canParse(whole)) return false
    const path = this.#path(new URL(whole))
    if (this.#system.stat(path) === -Errno.ENOENT) return false
    this.#log.error(`File ‘${path}’ already there; not retrieving.\n`)
    return true
  }
}
