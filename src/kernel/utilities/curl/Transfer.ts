/** Transfers one URL of curl, with its requests, redirects and attempts, and receives the body. Source: curl(1). */
import { encodeLossless } from "../../../base/surrogateEscape.ts"
import type { HttpResponse, System } from "../../System.ts"
import { openToRead } from "../http/files.ts"
import { BodyError, decode, readBody } from "../http/readResponse.ts"
import type { RequestBody } from "../http/RequestBody.ts"
import type { CookieJar } from "./CookieJar.ts"
import type { CurlConfig, UrlSlot } from "./CurlConfig.ts"
import { bodyError, CurlError, requestError } from "./CurlError.ts"
import type { CurlIo } from "./CurlIo.ts"
import { CurlOutput } from "./CurlOutput.ts"
import type { ExpandedUrl } from "./expandUrl.ts"
import { dispositionName, remoteName } from "./outputName.ts"
import {
  addQuery,
  headBytes,
  parseUrl,
  requestBody,
  requestHeaders,
  type RequestPlan,
  requireScheme,
  shownHead,
  timeCondition,
} from "./requestHead.ts"
import { formEncode, percentEncode } from "./requestData.ts"
import { emptyInfo, type TransferInfo } from "./writeOut.ts"

export interface TransferOptions {
  readonly io: CurlIo
  readonly config: CurlConfig
  readonly plan: RequestPlan
  readonly slot: UrlSlot
  readonly target: ExpandedUrl
  readonly urlNumber: number
  readonly jar: CookieJar | undefined
  readonly cookies: string | undefined
  readonly dump: CurlOutput | undefined
}

const valueOf = (response: HttpResponse, name: string): string | undefined =>
  response.headers.findLast(([each]) => each.toLowerCase() === name)?.[1]

const transientStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
const maxDelaySeconds = 600

/** Maximum number of cookies from one response, as in curl. */
const maxSetCookies = 50

export class Transfer {
  readonly #options: TransferOptions
  readonly #io: CurlIo
  readonly #system: System
  readonly #config: CurlConfig
  readonly info: TransferInfo
  #started = 0
  #response: HttpResponse | undefined
  #resumeFrom: number | undefined

  constructor(options: TransferOptions) {
    this.#options = options
    this.#io = options.io
    this.#system = options.io.system
    this.#config = options.config
    this.info = emptyInfo(options.target.url, options.urlNumber)
  }

  /** Runs the transfer, with further attempts. Returns the exit code. */
  async run(): Promise<number> {
    const retries = Number(this.#config.value("retry") ?? 0)
    const first = this.#io.millis
    let output: CurlOutput | undefined
    try {
      output = this.#makeOutput()
      for (let attempt = 0;; attempt++) {
        const error = await this.#attempt(output)
        const problem = this.#transientProblem(error)
        const delay = problem === undefined || attempt >= retries ? undefined : this.#delaySeconds(attempt)
        const maxSeconds = Number(this.#config.value("retry-max-time") ?? 0) || Infinity
        if (delay === undefined || (this.#io.millis - first) / 1000 + delay > maxSeconds) {
          if (error !== undefined) throw error
          break
        }
        this.#io.warn(
          `Problem: ${problem}. Will retry in ${delay} seconds. ${retries - attempt} ${
            retries - attempt === 1 ? "retry" : "retries"
          } left.`,
        )
        await this.#io.flush()
        await this.#system.sleep(delay * 1000)
        output.reset()
      }
      this.#finish(output)
    } catch (cause) {
      if (!(cause instanceof CurlError)) throw cause
      if (this.#config.has("remove-on-error")) output?.remove()
      this.info.exitCode = cause.exitCode
      this.info.error = cause.message.split("\n")[0] ?? ""
      this.#io.error(cause.exitCode, cause.message)
    }
    output?.close()
    this.info.filename = output?.path ?? ""
    return this.info.exitCode
  }

  /** Sets the time of the file, and makes one without a body. */
  #finish(output: CurlOutput): void {
    const isUnwanted = this.#config.has("fail") && this.info.status >= 400
    if (output.written === 0 && !isUnwanted && this.info.status !== 304 && this.#resumeFrom === undefined) output.open()
    const date = Date.parse((this.#response === undefined ? undefined : valueOf(this.#response, "last-modified")) ?? "")
    output.close(this.#config.has("remote-time") && !Number.isNaN(date) ? BigInt(date) * 1_000_000n : undefined)
  }

  #transientProblem(error: CurlError | undefined): string | undefined {
    if (error !== undefined && (error.exitCode === 28 || error.exitCode === 6)) return "timeout"
    if ((error === undefined || error.exitCode === 22) && transientStatuses.has(this.info.status)) return "HTTP error"
    if (error?.exitCode === 7 && this.#config.has("retry-connrefused")) return "connection refused"
    return error !== undefined && this.#config.has("retry-all-errors") ? "(retrying all errors)" : undefined
  }

  #delaySeconds(attempt: number): number {
    const after = Number(this.#response === undefined ? NaN : valueOf(this.#response, "retry-after"))
    const fixed = Number(this.#config.value("retry-delay") ?? 0)
    if (after > 0) return after
    return fixed > 0 ? fixed : Math.min(2 ** attempt, maxDelaySeconds)
  }

  #makeOutput(): CurlOutput {
    const { slot, target } = this.#options
    const config = this.#config
    const isRemote = slot.isRemoteName === true || (config.has("remote-name-all") && slot.output === undefined)
    const given = slot.output?.replace(/#(\d+)/g, (whole, digits: string) => target.parts[Number(digits) - 1] ?? whole)
    const name = isRemote ? remoteName(target.url) : given === "-" ? undefined : given
    if (name === "") {
      this.#io.problem("Remote file name has no length!")
      throw new CurlError(23, "Failed writing received data to disk/application")
    }
    const folder = config.value("output-dir")
    const path = name === undefined || folder === undefined ? name : `${folder.replace(/\/$/, "")}/${name}`
    const resume = config.value("continue-at")
    if (resume !== undefined) {
      const stat = resume === "-" && path !== undefined ? this.#system.stat(path) : undefined
      this.#resumeFrom = resume === "-" ? typeof stat === "object" ? stat.size : 0 : Number(resume)
      if (!(this.#resumeFrom >= 0)) throw new CurlError(2, "option -C: expected a proper numerical parameter")
      if (slot.upload !== undefined) {
        throw new CurlError(33, "-C with -T is not here; send the rest of the file by itself")
      }
    }
    return new CurlOutput(this.#system, {
      path,
      append: this.#resumeFrom !== undefined,
      createsFolders: config.has("create-dirs"),
      isExclusive: isRemote && config.has("remote-header-name"),
      warn: this.#io.warn,
    })
  }

  /** Sends the request, follows redirects and receives the body. Returns its failure. */
  async #attempt(output: CurlOutput): Promise<CurlError | undefined> {
    this.#started = this.#io.millis
    this.#response = undefined
    const fresh = emptyInfo(this.info.url, this.info.urlNumber)
    Object.assign(this.info, fresh)
    try {
      await this.#transfer(output)
      return undefined
    } catch (cause) {
      if (cause instanceof CurlError) return cause
      throw cause
    } finally {
      this.#closeBody()
      this.info.totalSeconds = this.#elapsed / 1000
    }
  }

  #closeBody(): void {
    if (this.#response !== undefined) this.#system.close(this.#response.fd)
  }

  get #elapsed(): number {
    return this.#io.millis - this.#started
  }

  /** Milliseconds that are left of `-m`. */
  get #left(): number | undefined {
    const max = Number(this.#config.value("max-time") ?? 0)
    return max > 0 ? Math.max(0, max * 1000 - this.#elapsed) : undefined
  }

  async #transfer(output: CurlOutput): Promise<void> {
    const { config, plan, slot, target } = this.#options
    const { url: first, user: userOfUrl } = parseUrl(target.url, config)
    if (slot.upload !== undefined) this.#prepareUpload(first, slot.upload)
    addQuery(first, this.#queries())
    const user = config.value("user") ?? userOfUrl
    if (user !== undefined && !user.includes(":")) {
      throw new CurlError(67, "there is no terminal to ask for the password; write -u user:password")
    }
    let { body, method } = requestBody(this.#system, config, plan, slot.upload)
    let url = first
    let [referer, isAuto] = [config.value("referer")?.replace(/;auto$/, ""), config.value("referer")?.endsWith(";auto")]
    const given = config.value("max-redirs")
    const maxRedirects = given === undefined ? 50 : Number(given) < 0 ? Infinity : Number(given)
    for (;;) {
      const response = await this.#request({ url, first, method, body, referer, user })
      const location = response.status >= 300 && response.status < 400 ? valueOf(response, "location") : undefined
      if (location !== undefined && !URL.canParse(location, url)) {
        if (config.has("location")) throw new CurlError(3, "URL using bad/illegal format or missing URL")
      } else if (location !== undefined && !this.#follows) this.info.redirectUrl = new URL(location, url).href
      else if (location !== undefined) {
        if (this.info.redirects >= maxRedirects) throw new CurlError(47, `Maximum (${maxRedirects}) redirects followed`)
        const next = new URL(location, url)
        next.hash = ""
        requireScheme(next, config.value("proto-redir") ?? config.value("proto"))
        next.username = next.password = ""
        await this.#showHead(response, output)
        this.info.redirects++
        this.info.redirectSeconds = this.#elapsed / 1000
        this.#io.trace("*", [`Issue another request to this URL: '${next.href}'`])
        this.#system.close(response.fd)
        this.#response = undefined
        if (this.#becomesGet(response.status, method)) [method, body] = ["GET", undefined]
        if (body?.canRepeat === false) throw new CurlError(65, "necessary data rewind wasn't possible")
        if (isAuto) referer = url.href
        url = next
        continue
      }
      return await this.#receive(response, url, method, output)
    }
  }

  get #follows(): boolean {
    return this.#config.has("location") || this.#config.has("location-trusted")
  }

  /** The data of `-G` and `--url-query`, one by one, so that no more is encoded than a URL may have. */
  *#queries(): Generator<string> {
    const { config, plan } = this.#options
    if (config.has("get") && plan.data !== undefined) yield new TextDecoder().decode(plan.data)
    for (const text of config.values("url-query")) yield this.#urlQuery(text)
  }

  #urlQuery(text: string): string {
    if (text.startsWith("+")) return text.slice(1)
    const at = text.indexOf("=")
    const encoded = formEncode(encodeLossless(text.slice(at + 1)))
    return at > 0 ? `${text.slice(0, at)}=${encoded}` : encoded
  }

  #prepareUpload(url: URL, path: string): void {
    const fd = openToRead(this.#system, path === "." ? "-" : path)
    if (fd < 0) {
      this.#io.printError(
        `curl: Can't open '${path}'!\ncurl: try 'curl --help' or 'curl --manual' for more information\n`,
      )
      throw new CurlError(26, `Failed to open/read local data from file/application`)
    }
    this.#system.close(fd)
    if (url.pathname.endsWith("/") && path !== "-" && path !== ".") {
      url.pathname += percentEncode(encodeLossless(path.replace(/^.*\//, "")))
    }
  }

  #becomesGet(status: number, method: string): boolean {
    if (status === 303) return method !== "HEAD" && !(method === "POST" && this.#config.has("post303"))
    return method === "POST" &&
      ((status === 301 && !this.#config.has("post301")) || (status === 302 && !this.#config.has("post302")))
  }

  async #request({ body, first, method, referer, url, user }: {
    readonly url: URL
    readonly first: URL
    readonly method: string
    readonly body: RequestBody | undefined
    readonly referer: string | undefined
    readonly user: string | undefined
  }): Promise<HttpResponse> {
    const { cookies, jar, plan } = this.#options
    const config = this.#config
    const isFirstOrigin = url.origin === first.origin || config.has("location-trusted")
    const resumed = this.#resumeFrom === undefined || this.#resumeFrom === 0 ? undefined : `${this.#resumeFrom}-`
    const kept = [jar?.headerFor(url) ?? "", (isFirstOrigin ? cookies : undefined) ?? ""]
    const headers = requestHeaders({
      url,
      config,
      plan,
      body,
      isFirstOrigin,
      user,
      range: resumed ?? config.value("range"),
      condition: timeCondition(this.#system, config.value("time-cond"))?.header,
      referer,
      cookies: kept.filter((text) => text !== "").join("; ") || undefined,
    })
    const verb = config.value("request") ?? method
    const shown = shownHead(verb, url, headers, body)
    this.info.method = verb
    this.info.urlEffective = url.href
    this.info.requestBytes += headBytes(shown).length
    const connectSeconds = Number(config.value("connect-timeout") ?? 0)
    const answer = await this.#system.request({
      url: url.href,
      method: verb,
      headers,
      body: body?.open(),
      connectTimeoutMillis: connectSeconds > 0 ? connectSeconds * 1000 : undefined,
      timeoutMillis: this.#left,
    })
    this.info.uploaded = body?.sent ?? 0
    if (answer._tag === "Failure") {
      if (body?.failure !== undefined) throw new CurlError(26, `Failed to open/read local data from file/application`)
      throw requestError(answer, url, Math.round(this.#elapsed))
    }
    this.#response = answer
    this.info.connects++
    this.info.address = answer.address ?? ""
    this.info.connectSeconds = (answer.connectMillis ?? 0) / 1000
    this.info.startSeconds = this.#elapsed / 1000
    this.info.status = answer.status
    this.info.version = answer.version
    this.info.headers = answer.headers
    const port = url.port === "" ? url.protocol === "https:" ? "443" : "80" : url.port
    this.#io.trace("*", [`Connected to ${url.hostname} (${answer.address ?? "unknown address"}) port ${port} (#0)`])
    this.#io.trace(">", shown)
    const baked = answer.headers.filter(([name]) => /^set-cookie$/i.test(name))
    for (const [, value] of baked.slice(0, maxSetCookies)) jar?.receive(value, url)
    return answer
  }

  /** Writes the head of a response for `-i`, `-I`, `-D` and `-v`. */
  async #showHead({ headers, status, statusText, version }: HttpResponse, output: CurlOutput): Promise<void> {
    const lines = [`${version} ${status} ${statusText}`, ...headers.map(([name, value]) => `${name}: ${value}`), ""]
    const bytes = headBytes(lines)
    this.info.headerBytes += bytes.length
    this.#io.trace("<", lines)
    await this.#io.flush()
    if (this.#config.has("include") || this.#config.has("head")) await output.write(bytes)
    await this.#options.dump?.write(bytes)
  }

  /** Receives the body. */
  async #receive(response: HttpResponse, url: URL, method: string, output: CurlOutput): Promise<void> {
    const config = this.#config
    const isFailure = response.status >= 400 && !(this.#resumeFrom !== undefined && response.status === 416)
    if (config.has("remote-header-name") && output.path !== undefined) {
      const name = dispositionName(valueOf(response, "content-disposition") ?? "")
      const folder = config.value("output-dir")
      if (name !== undefined) output.rename(folder === undefined ? name : `${folder.replace(/\/$/, "")}/${name}`)
    }
    await this.#showHead(response, output)
    if (isFailure && config.has("fail")) throw new CurlError(22, `The requested URL returned error: ${response.status}`)
    if (this.#resumeFrom !== undefined && this.#resumeFrom > 0 && response.status === 200) {
      throw new CurlError(33, "HTTP server doesn't seem to support byte ranges. Cannot resume.")
    }
    const length = valueOf(response, "content-length")
    const expected = length === undefined || method === "HEAD" ? undefined : Number(length)
    const maxBytes = Number(config.value("max-filesize") ?? 0) || Infinity
    if ((expected ?? 0) > maxBytes) throw new CurlError(63, "Maximum file size exceeded")
    const isSkipped = (response.status === 416 && this.#resumeFrom !== undefined) || this.#isUnchanged(response)
    const left = this.#left
    const deadline = left === undefined ? undefined : this.#system.monotonic() + BigInt(Math.round(left * 1e6))
    const pieces = readBody(this.#system, response, deadline)
    const counted = async function* (info: TransferInfo) {
      for await (const piece of pieces) {
        info.downloaded += piece.length
        if (info.downloaded > maxBytes) throw new CurlError(63, "Maximum file size exceeded")
        yield piece
      }
    }(this.info)
    const coding = config.has("compressed") && !response.isDecoded ? valueOf(response, "content-encoding") ?? "" : ""
    const found = /^(?:x-)?(gzip|deflate)$/i.exec(coding.trim())?.[1]?.toLowerCase()
    const decoded = found === "gzip" || found === "deflate" ? decode(counted, found) : counted
    try {
      for await (const piece of decoded) if (!isSkipped) await output.write(piece)
    } catch (cause) {
      if (!(cause instanceof BodyError)) throw cause
      throw bodyError(cause, url, Math.round(this.#elapsed), this.info.downloaded, expected)
    }
    if (isFailure && config.has("fail-with-body")) {
      throw new CurlError(22, `The requested URL returned error: ${response.status}`)
    }
  }

  /** Whether a server that ignores conditions sent a version that `-z` excludes. */
  #isUnchanged(response: HttpResponse): boolean {
    const condition = timeCondition(this.#system, this.#config.value("time-cond"))
    const modified = Date.parse(valueOf(response, "last-modified") ?? "")
    if (condition === undefined || Number.isNaN(modified)) return false
    const isNewer = BigInt(modified) * 1_000_000n > condition.nanos
    return condition.header[0] === "If-Modified-Since" ? !isNewer : isNewer
  }
}
