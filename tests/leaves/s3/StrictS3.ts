/**
 * An S3 service in memory that is stricter than the real one: it checks signatures, hashes, conditions, sizes of parts and
 * its own XML, and can be told to fail. `s3rver` does none of that.
 */
import { createHash } from "node:crypto"
import { checkSignature, type Keys, type WireRequest } from "./signature.ts"

interface StoredObject {
  readonly bytes: Uint8Array
  readonly etag: string
  readonly modified: number
  readonly headers: Readonly<Record<string, string>>
}

interface Upload {
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
  readonly parts: Map<number, { readonly bytes: Uint8Array; readonly etag: string }>
}

/** An answer. `"reset"` breaks the connection. */
export type Answer = Response | "reset"

export interface StrictS3Options {
  readonly keys: Keys
  /** Whether `If-None-Match` and `If-Match` of writes are obeyed. */
  readonly hasConditions?: boolean
  /** Whether `If-Match` of reads is obeyed. */
  readonly hasReadConditions?: boolean
  /** Answers instead of the service. */
  readonly before?: (request: WireRequest) => Promise<Answer | undefined> | Answer | undefined
  /** Answers after the service has done what it was asked for. */
  readonly after?: (request: WireRequest, response: Response) => Promise<Answer> | Answer
  /** Keys of a page of a listing. */
  readonly pageSize?: number
}

export const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("hex")

const minPart = 5 * 1024 * 1024

const escapeText = (text: string): string =>
  text.replace(/[&<>"]/g, (found) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[found] ?? "")

const bytesOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const textOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.replace(
    /&(lt|gt|amp|quot);/g,
    (_, entity) => ({ lt: "<", gt: ">", amp: "&", quot: '"' })[String(entity)] ?? "",
  )

export class StrictS3 {
  readonly objects = new Map<string, StoredObject>()
  readonly uploads = new Map<string, Upload>()
  /** What was asked for: method, kind and key. */
  readonly log: Array<string> = []
  #sorted: Array<string> = []
  #options: StrictS3Options
  #serial = 0

  constructor(options: StrictS3Options) {
    this.#options = options
  }

  configure(options: Partial<StrictS3Options>): void {
    this.#options = { ...this.#options, ...options }
  }

  /** The text of an object, as another program reads it. */
  text(key: string): string | undefined {
    const object = this.objects.get(key)
    return object === undefined ? undefined : new TextDecoder().decode(object.bytes)
  }

  /** Makes an object, as another program does. */
  store(key: string, bytes: Uint8Array | string, headers: Record<string, string> = {}): StoredObject {
    const body = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes
    return this.#store(key, body, `"${md5(body)}"`, headers)
  }

  #store(key: string, bytes: Uint8Array, etag: string, headers: Readonly<Record<string, string>>): StoredObject {
    if (!this.objects.has(key)) {
      let [low, high] = [0, this.#sorted.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if (bytesOrder(this.#sorted[middle] ?? "", key) < 0) low = middle + 1
        else high = middle
      }
      this.#sorted.splice(low, 0, key)
    }
    const object = { bytes, etag, headers, modified: Date.now() }
    this.objects.set(key, object)
    return object
  }

  remove(key: string): void {
    if (this.objects.delete(key)) this.#sorted = this.#sorted.filter((other) => other !== key)
  }

  #error(status: number, code: string, message = code): Response {
    return new Response(
      `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escapeText(message)}</Message>` +
        `<RequestId>R${this.#serial}</RequestId></Error>`,
      { status, headers: { "content-type": "application/xml", "x-amz-request-id": `R${this.#serial}` } },
    )
  }

  #xml(body: string): Response {
    return new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`, {
      headers: { "content-type": "application/xml" },
    })
  }

  /** Answers a request to `/bucket/key`. */
  async handle(request: WireRequest): Promise<Answer> {
    this.#serial++
    const { headers, method, url } = request
    const [, bucket = "", key = ""] = /^\/([^/]*)\/?(.*)$/s.exec(decodeURIComponent(url.pathname)) ?? []
    this.log.push(`${method}${[...url.searchParams.keys()].map((name) => ` ${name}`).join("")} ${key}`)
    const early = await this.#options.before?.(request)
    if (early !== undefined) return early
    const wrong = checkSignature(request, this.#options.keys)
    if (wrong !== undefined) return this.#error(wrong === "AuthorizationHeaderMalformed" ? 400 : 403, wrong)
    if (bucket !== "bucket") return this.#error(404, "NoSuchBucket", "The specified bucket does not exist")
    const response = key === "" ? this.#bucket(request) : this.#object(request, key)
    const answered = method === "HEAD" ? new Response(null, response) : response
    // Node's fetch adds a second "identity" to a read of a range.
    if (!/^identity(?:, identity)?$/.test(headers.get("accept-encoding") ?? "")) {
      return this.#error(400, "InvalidRequest", `accept-encoding: ${headers.get("accept-encoding")}`)
    }
    return await this.#options.after?.(request, answered) ?? answered
  }

  #bucket({ body, headers, method, url }: WireRequest): Response {
    const query = url.searchParams
    if (method === "GET" && query.get("list-type") === "2") return this.#list(query)
    if (method === "POST" && query.has("delete")) {
      if (headers.get("content-md5") !== Buffer.from(md5(body), "hex").toString("base64")) {
        return this.#error(400, "BadDigest")
      }
      const keys = new TextDecoder().decode(body).split("</Object>").flatMap((item) => textOf(item, "Key") ?? [])
      if (keys.length > 1_000) return this.#error(400, "MalformedXML")
      for (const key of keys) this.remove(key)
      return this.#xml(`<DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"/>`)
    }
    return this.#error(501, "NotImplemented")
  }

  #list(query: URLSearchParams): Response {
    const prefix = query.get("prefix") ?? ""
    const delimiter = query.get("delimiter") ?? ""
    const max = Math.min(Number(query.get("max-keys") ?? 1_000), this.#options.pageSize ?? 1_000)
    const token = query.get("continuation-token")
    const after = token === null ? "" : Buffer.from(token, "base64").toString()
    const encode = (key: string) => encodeURIComponent(key).replace(/%20/g, "+").replace(/%2F/g, "/")
    const items: Array<string> = []
    let [last, count, isTruncated] = ["", 0, false]
    for (const key of this.#sorted) {
      if (!key.startsWith(prefix) || (after !== "" && bytesOrder(key, after) <= 0)) continue
      const cut = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length)
      const common = cut === -1 ? undefined : key.slice(0, cut + 1)
      if (common !== undefined && (last === common || after.startsWith(common))) continue
      if (count === max) {
        isTruncated = true
        break
      }
      count++
      last = common ?? key
      const object = this.objects.get(key)
      items.push(
        common === undefined
          ? `<Contents><Key>${encode(key)}</Key><LastModified>${
            new Date(object?.modified ?? 0).toISOString()
          }</LastModified><ETag>${escapeText(object?.etag ?? "")}</ETag><Size>${object?.bytes.length}</Size></Contents>`
          : `<CommonPrefixes><Prefix>${encode(common)}</Prefix></CommonPrefixes>`,
      )
    }
    const next = isTruncated
      ? `<NextContinuationToken>${Buffer.from(last).toString("base64")}</NextContinuationToken>`
      : ""
    return this.#xml(
      `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType>` +
        `<IsTruncated>${isTruncated}</IsTruncated>${next}${items.join("")}</ListBucketResult>`,
    )
  }

  /** Whether the conditions of a write hold; what to answer if not. */
  #refusedWrite({ headers }: WireRequest, key: string): Response | undefined {
    if (this.#options.hasConditions === false) return undefined
    const there = this.objects.get(key)
    const match = headers.get("if-match")
    if (headers.get("if-none-match") === "*" && there !== undefined) return this.#error(412, "PreconditionFailed")
    if (match === null) return undefined
    if (there === undefined) return this.#error(404, "NoSuchKey")
    return there.etag === match ? undefined : this.#error(412, "PreconditionFailed")
  }

  #object(request: WireRequest, key: string): Response {
    const { body, headers, method, url } = request
    const query = url.searchParams
    if (Buffer.byteLength(key) > 1_024) return this.#error(400, "KeyTooLongError")
    const kept = Object.fromEntries([...headers].filter(([name]) => /^(?:x-amz-meta-.*|content-type)$/.test(name)))
    const uploadId = query.get("uploadId")
    const upload = this.uploads.get(uploadId ?? "")
    if (uploadId !== null && upload?.key !== key) return this.#error(404, "NoSuchUpload")
    switch (method) {
      case "GET":
      case "HEAD":
        return this.#read(request, key)
      case "PUT": {
        if (upload !== undefined) return this.#part(request, upload)
        const refused = this.#refusedWrite(request, key)
        return refused ?? new Response(null, { headers: { etag: this.#store(key, body, `"${md5(body)}"`, kept).etag } })
      }
      case "POST": {
        if (query.has("uploads")) {
          const id = `u${this.#serial}+/=`
          this.uploads.set(id, { key, headers: kept, parts: new Map() })
          return this.#xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
        }
        if (upload !== undefined && uploadId !== null) return this.#complete(request, upload, uploadId)
        return this.#error(501, "NotImplemented")
      }
      case "DELETE":
        if (uploadId !== null) this.uploads.delete(uploadId)
        else this.remove(key)
        return new Response(null, { status: 204 })
      default:
        return this.#error(405, "MethodNotAllowed")
    }
  }

  #read({ headers, method, url }: WireRequest, key: string): Response {
    const object = this.objects.get(key)
    if (object === undefined) return this.#error(404, "NoSuchKey", "The specified key does not exist.")
    const match = headers.get("if-match")
    if (this.#options.hasReadConditions !== false && match !== null && match !== object.etag) {
      return this.#error(412, "PreconditionFailed")
    }
    const about = {
      ...object.headers,
      etag: object.etag,
      "last-modified": new Date(object.modified).toUTCString(),
      "content-length": String(object.bytes.length),
      ...(url.searchParams.has("response-content-encoding")
        ? { "content-encoding": url.searchParams.get("response-content-encoding") ?? "" }
        : undefined),
    }
    const range = /^bytes=(\d+)-(\d+)$/.exec(headers.get("range") ?? "")
    if (range === null || method === "HEAD") return new Response(object.bytes.slice(), { headers: about })
    const from = Number(range[1])
    const to = Math.min(Number(range[2]) + 1, object.bytes.length)
    if (from >= object.bytes.length) return this.#error(416, "InvalidRange")
    return new Response(object.bytes.slice(from, to), {
      status: 206,
      headers: {
        ...about,
        "content-length": String(to - from),
        "content-range": `bytes ${from}-${to - 1}/${object.bytes.length}`,
      },
    })
  }

  #part({ body, headers, url }: WireRequest, upload: Upload): Response {
    const number = Number(url.searchParams.get("partNumber"))
    if (!(number >= 1 && number <= 10_000)) return this.#error(400, "InvalidArgument")
    const source = headers.get("x-amz-copy-source")
    if (source === null) {
      const etag = `"${md5(body)}"`
      upload.parts.set(number, { bytes: body, etag })
      return new Response(null, { headers: { etag } })
    }
    const object = this.objects.get(decodeURIComponent(source).replace(/^\/?bucket\//, ""))
    if (object === undefined) return this.#error(404, "NoSuchKey")
    if (headers.get("x-amz-copy-source-if-match") !== object.etag) return this.#error(412, "PreconditionFailed")
    const range = /^bytes=(\d+)-(\d+)$/.exec(headers.get("x-amz-copy-source-range") ?? "")
    if (range === null) return this.#error(400, "InvalidArgument")
    const bytes = object.bytes.slice(Number(range[1]), Number(range[2]) + 1)
    const etag = `"${md5(bytes)}"`
    upload.parts.set(number, { bytes, etag })
    return this.#xml(`<CopyPartResult><ETag>${escapeText(etag)}</ETag></CopyPartResult>`)
  }

  #complete(request: WireRequest, upload: Upload, uploadId: string): Response {
    const parts = new TextDecoder().decode(request.body).split("</Part>").flatMap((item) => {
      const number = textOf(item, "PartNumber")
      return number === undefined ? [] : [{ number: Number(number), etag: textOf(item, "ETag") }]
    })
    const stored = parts.map(({ etag, number }) => {
      const part = upload.parts.get(number)
      return part?.etag === etag ? part : undefined
    })
    if (parts.length === 0 || stored.includes(undefined)) return this.#error(400, "InvalidPart")
    if (parts.some(({ number }, index) => number <= (parts[index - 1]?.number ?? 0))) {
      return this.#error(400, "InvalidPartOrder")
    }
    if (stored.slice(0, -1).some((part) => (part?.bytes.length ?? 0) < minPart)) {
      return this.#error(400, "EntityTooSmall")
    }
    const refused = this.#refusedWrite(request, upload.key)
    if (refused !== undefined) return refused
    const bytes = Buffer.concat(stored.map((part) => part?.bytes ?? new Uint8Array()))
    const { etag } = this.#store(upload.key, bytes, `"${md5(bytes)}-${parts.length}"`, upload.headers)
    this.uploads.delete(uploadId)
    return this.#xml(`<CompleteMultipartUploadResult><ETag>${escapeText(etag)}</ETag></CompleteMultipartUploadResult>`)
  }

  /** The service as a `fetch`. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const { headers, method, url } = request
    const body = new Uint8Array(await request.arrayBuffer())
    request.signal.throwIfAborted()
    const answer = await this.handle({ method, url: new URL(url), headers, body })
    request.signal.throwIfAborted()
    if (answer === "reset") throw new TypeError("fetch failed", { cause: new Error("read ECONNRESET") })
    return answer
  }
}
