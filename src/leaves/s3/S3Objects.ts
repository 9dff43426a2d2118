/** The calls of the S3 API that the leaf needs, decoded: list, head, put, delete and multipart uploads. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { md5 } from "@noble/hashes/legacy.js"
import { encodeUtf8 } from "../../base/bytes.ts"
import { encodeKey, type S3Client } from "./S3Client.ts"
import { isTransientRefusal, malformed, S3Failure } from "./S3Failure.ts"
import { childText, escapeXml, type XmlElement } from "./xml.ts"

export interface ListedObject {
  readonly key: string
  readonly size: number
  /** In milliseconds since 1970. */
  readonly modified: number
}

export interface ListPage {
  readonly objects: ReadonlyArray<ListedObject>
  /** The key's part up to the next delimiter, inclusive. */
  readonly prefixes: ReadonlyArray<string>
  readonly next: string | undefined
}

export interface ObjectHead {
  readonly size: number
  readonly modified: number
  readonly etag: string
  readonly writeId: string | undefined
}

/** Condition of a write: there is no object yet, or still this one. */
export type WriteCondition = { readonly _tag: "Absent" } | { readonly _tag: "Unchanged"; readonly etag: string }

export interface MultipartUpload {
  readonly key: string
  readonly uploadId: string
  isComplete: boolean
}

export interface UploadedPart {
  readonly number: number
  readonly etag: string
}

/** Metadata by which a write is recognized if its answer was lost. */
const writeIdHeader = "x-amz-meta-sluice-write"

export const maxDeletedKeys = 1_000

const conditionHeaders = (condition: WriteCondition | undefined): Record<string, string> =>
  condition === undefined ? {} : condition._tag === "Absent" ? { "if-none-match": "*" } : { "if-match": condition.etag }

/**
 * Whether a write failed because its condition does not hold. `NoSuchUpload` is the answer to completing an upload that had
 * already ended.
 */
export const isConditionFailure = ({ code, status }: S3Failure): boolean => status === 412 || code === "NoSuchUpload"

const decodeUrl = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

const sizeOf = (text: string | null | undefined): number | undefined => {
  const size = /^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined
  return size
}

const timeOf = (text: string | null | undefined): number => {
  const time = Date.parse(text ?? "")
  return Number.isFinite(time) ? time : 0
}

const decodePage = (
  xml: XmlElement,
  { prefix, token }: { readonly prefix: string; readonly token: string | undefined },
): Effect.Effect<ListPage, S3Failure> => {
  if (xml.name !== "ListBucketResult") return Effect.fail(malformed(`the answer is a ${xml.name}, not a listing`))
  const decode = childText(xml, "EncodingType") === "url" ? decodeUrl : (text: string) => text
  const objects: Array<ListedObject> = []
  const prefixes: Array<string> = []
  for (const child of xml.children) {
    if (child.name !== "Contents" && child.name !== "CommonPrefixes") continue
    const isObject = child.name === "Contents"
    const key = decode(childText(child, isObject ? "Key" : "Prefix") ?? "")
    if (key === undefined || !key.startsWith(prefix)) {
      return Effect.fail(malformed("the listing has a key of another folder"))
    }
    if (!isObject) prefixes.push(key)
    else {
      const size = sizeOf(childText(child, "Size"))
      if (size === undefined) return Effect.fail(malformed("the listing has an object without a size"))
      objects.push({ key, size, modified: timeOf(childText(child, "LastModified")) })
    }
  }
  if (childText(xml, "IsTruncated") !== "true") return Effect.succeed({ objects, prefixes, next: undefined })
  const next = childText(xml, "NextContinuationToken")
  return next === undefined || next === "" || next === token
    ? Effect.fail(malformed("the listing does not say how it continues"))
    : Effect.succeed({ objects, prefixes, next })
}

export interface S3Objects {
  readonly listPage: (options: {
    readonly prefix: string
    readonly delimiter?: string
    readonly maxKeys?: number
    readonly token?: string | undefined
  }) => Effect.Effect<ListPage, S3Failure>
  readonly head: (key: string) => Effect.Effect<ObjectHead | undefined, S3Failure>
  readonly put: (
    key: string,
    body: Uint8Array<ArrayBuffer>,
    options?: {
      readonly condition?: WriteCondition | undefined
      readonly writeId?: string
      readonly contentType?: string
    },
  ) => Effect.Effect<void, S3Failure>
  readonly remove: (key: string) => Effect.Effect<void, S3Failure>
  readonly removeAll: (keys: ReadonlyArray<string>) => Effect.Effect<void, S3Failure>
  /** Begins an upload, which is aborted when the scope closes, if it has not ended. */
  readonly startUpload: (key: string, writeId: string) => Effect.Effect<MultipartUpload, S3Failure, Scope.Scope>
  readonly uploadPart: (
    upload: MultipartUpload,
    number: number,
    body: Uint8Array<ArrayBuffer>,
  ) => Effect.Effect<UploadedPart, S3Failure>
  /** Copies a range of an object to a part, within the service. */
  readonly copyPart: (
    upload: MultipartUpload,
    number: number,
    source: { readonly etag: string; readonly from: number; readonly to: number },
  ) => Effect.Effect<UploadedPart, S3Failure>
  readonly completeUpload: (
    upload: MultipartUpload,
    parts: ReadonlyArray<UploadedPart>,
    condition: WriteCondition | undefined,
  ) => Effect.Effect<void, S3Failure>
}

export const makeS3Objects = (client: S3Client, bucket: string): S3Objects => {
  const { send, sendForXml } = client

  const remove: S3Objects["remove"] = (key) => Effect.asVoid(send({ method: "DELETE", key, statuses: [404] }))

  const abort = (upload: MultipartUpload): Effect.Effect<void> =>
    Effect.suspend(() => upload.isComplete ? Effect.void : abortNow(upload))

  const abortNow = ({ key, uploadId }: MultipartUpload): Effect.Effect<void> =>
    send({ method: "DELETE", key, query: { uploadId }, statuses: [404] }).pipe(
      Effect.timeoutOrElse({
        duration: client.requestTimeoutMillis,
        orElse: () => Effect.fail(new S3Failure({ problem: "there was no answer" })),
      }),
      Effect.catch(({ problem }) =>
        Effect.logWarning(`s3: the parts of an upload that was aborted may be left: ${problem}`)
      ),
      Effect.asVoid,
    )

  const etagOf = (etag: string | null | undefined): Effect.Effect<string, S3Failure> =>
    etag === null || etag === undefined || !/^[^\p{Cc}<>&]{1,300}$/u.test(etag)
      ? Effect.fail(malformed("the answer has no ETag"))
      : Effect.succeed(etag)

  return {
    listPage: ({ delimiter, maxKeys, prefix, token }) =>
      sendForXml({
        method: "GET",
        query: {
          "list-type": "2",
          "encoding-type": "url",
          prefix,
          delimiter,
          "max-keys": maxKeys?.toString(),
          "continuation-token": token,
        },
      }).pipe(Effect.flatMap((xml) => decodePage(xml, { prefix, token }))),

    head: (key) =>
      Effect.flatMap(send({ method: "HEAD", key, statuses: [404] }), ({ headers, status }) => {
        if (status === 404) return Effect.undefined
        const size = sizeOf(headers.get("content-length"))
        if (size === undefined) return Effect.fail(malformed("the answer has no Content-Length"))
        return Effect.map(etagOf(headers.get("etag")), (etag) => ({
          size,
          etag,
          modified: timeOf(headers.get("last-modified")),
          writeId: headers.get(writeIdHeader) ?? undefined,
        }))
      }),

    put: (key, body, { condition, contentType = "application/octet-stream", writeId } = {}) =>
      Effect.asVoid(send({
        method: "PUT",
        key,
        body,
        headers: { "content-type": contentType, [writeIdHeader]: writeId, ...conditionHeaders(condition) },
      })),

    remove,

    removeAll: (keys) => {
      // XML has no control characters.
      // deno-lint-ignore no-control-regex
      const isPlain = (key: string) => !/[\0-\x1f\x7f\ufffe\uffff]/.test(key)
      const plain = keys.filter(isPlain)
      const others = Effect.forEach(keys.filter((key) => !isPlain(key)), remove, { discard: true })
      if (plain.length === 0) return others
      const items = plain.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`).join("")
      const body = encodeUtf8(
        `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${items}</Delete>`,
      )
      const headers = { "content-type": "application/xml", "content-md5": btoa(String.fromCharCode(...md5(body))) }
      const once = Effect.scoped(
        Effect.flatMap(client.sendOnce({ method: "POST", query: { delete: "" }, headers, body }), client.readXml),
      ).pipe(Effect.flatMap((xml) => {
        const error = xml.children.find(({ name }) => name === "Error")
        if (error === undefined) return Effect.void
        const code = (childText(error, "Code") ?? "").slice(0, 100)
        const status = code === "AccessDenied" ? 403 : 409
        const problem = `an object could not be deleted: ${code}`
        return Effect.fail(new S3Failure({ problem, status, code, isTransient: isTransientRefusal(status, code) }))
      }))
      return Effect.andThen(others, client.repeat(once))
    },

    startUpload: (key, writeId) => {
      const once = Effect.scoped(
        Effect.flatMap(
          client.sendOnce({
            method: "POST",
            key,
            query: { uploads: "" },
            headers: { "content-type": "application/octet-stream", [writeIdHeader]: writeId },
          }),
          client.readXml,
        ),
      ).pipe(Effect.flatMap((xml) => {
        const uploadId = childText(xml, "UploadId") ?? ""
        return uploadId === ""
          ? Effect.fail(malformed("the answer has no UploadId"))
          : Effect.succeed({ key, uploadId, isComplete: false })
      }))
      // An attempt is not interrupted, since its upload would be left behind.
      return client.repeat(Effect.acquireRelease(once, abort))
    },

    uploadPart: ({ key, uploadId }, number, body) =>
      Effect.flatMap(
        send({ method: "PUT", key, query: { partNumber: String(number), uploadId }, body }),
        ({ headers }) => Effect.map(etagOf(headers.get("etag")), (etag) => ({ number, etag })),
      ),

    copyPart: ({ key, uploadId }, number, { etag, from, to }) =>
      Effect.flatMap(
        sendForXml({
          method: "PUT",
          key,
          query: { partNumber: String(number), uploadId },
          headers: {
            "x-amz-copy-source": `/${bucket}/${encodeKey(key)}`,
            "x-amz-copy-source-range": `bytes=${from}-${to - 1}`,
            "x-amz-copy-source-if-match": etag,
          },
        }),
        (xml) => Effect.map(etagOf(childText(xml, "ETag")), (etag) => ({ number, etag })),
      ),

    completeUpload: (upload, parts, condition) => {
      const { key, uploadId } = upload
      const items = parts.map(({ etag, number }) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`
      )
      const end = sendForXml({
        method: "POST",
        key,
        query: { uploadId },
        headers: { "content-type": "application/xml", ...conditionHeaders(condition) },
        body: encodeUtf8(
          `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${
            items.join("")
          }</CompleteMultipartUpload>`,
        ),
      })
      return Effect.map(end, () => void (upload.isComplete = true))
    },
  }
}
